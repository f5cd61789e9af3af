/// What predicates are evaluated on: an object of a context, a row, a dictionary in a test.
package protocol PredicateSubject {
    /// What `SELF` and a relationship that leads here are compared as, mostly `.object(id)`.
    var identity: AttributeValue { get }

    /// The value of one property; a fault fires.
    ///
    /// - Throws: `QueryError.unknownKey` if there is no such property.
    func value(forKey key: String) throws(QueryError) -> SubjectValue
}

/// What a key of a subject holds.
package enum SubjectValue {
    /// The value of an attribute.
    case value(AttributeValue)
    /// The values of a collection that holds no objects.
    case values([AttributeValue])
    /// The object of a to-one relationship, `nil` if there is none.
    case object((any PredicateSubject)?)
    /// The objects of a to-many relationship.
    case objects([any PredicateSubject])
}

/// One value as predicates see it: `SELF`, and what a text is asked for.
package struct ValueSubject: PredicateSubject {
    /// The value.
    package let identity: AttributeValue

    /// A subject that is a value.
    package init(_ value: AttributeValue) { identity = value }

    /// What a text is asked for.
    package func value(forKey key: String) throws(QueryError) -> SubjectValue {
        guard let value = TextKey(rawValue: key)?.value(of: identity) else {
            throw .unknownKey(key, keyPath: key, entity: "value")
        }
        return .value(value)
    }
}
