import CofferModel
public import FoundationEssentials

extension PredicateExpressions {
    /// Objects that a `#Predicate` captured, by their ids, which any thread may have.
    public struct CapturedObjects<Object: ManagedObject>: Sendable {
        let ids: [ManagedObjectID?]
    }

    /// Whether a part of a predicate is an object that was captured, or one of several.
    ///
    /// It is the same object in every context.
    public struct IsObject<Part: PredicateExpression>: PredicateExpression {
        let part: Part
        let ids: [ManagedObjectID?]

        /// Whether the part's object has one of the ids.
        ///
        /// - Throws: What evaluating the part throws.
        public func evaluate(_ bindings: PredicateBindings) throws -> Bool {
            let object = try part.evaluate(bindings) as Any
            return ids.contains((object as? ManagedObject)?.objectID)
        }
    }

    /// Whether a relationship, or what is left of one, has an object that was captured.
    public struct HasObject<Part: PredicateExpression>: PredicateExpression where Part.Output: Sequence {
        let part: Part
        let id: ManagedObjectID?

        /// Whether one of the part's objects has the id.
        ///
        /// - Throws: What evaluating the part throws.
        public func evaluate(_ bindings: PredicateBindings) throws -> Bool {
            try part.evaluate(bindings).contains { ($0 as? ManagedObject)?.objectID == id }
        }
    }
}

extension PredicateExpressions.IsObject: Sendable where Part: Sendable {}
extension PredicateExpressions.IsObject: Codable where Part: Codable {}
extension PredicateExpressions.IsObject: StandardPredicateExpression
where Part: StandardPredicateExpression {}
extension PredicateExpressions.HasObject: Sendable where Part: Sendable {}
extension PredicateExpressions.HasObject: Codable where Part: Codable {}
extension PredicateExpressions.HasObject: StandardPredicateExpression
where Part: StandardPredicateExpression {}

// swift-format-ignore: AlwaysUseLowerCamelCase
/// What `#Predicate` makes of captured objects.
extension PredicateExpressions {
    /// An object that was captured.
    public static func build_Arg<Object: ManagedObject>(_ object: Object) -> CapturedObjects<Object> {
        CapturedObjects(ids: [object.objectID])
    }

    /// An object that was captured, or none.
    public static func build_Arg<Object: ManagedObject>(_ object: Object?) -> CapturedObjects<Object> {
        CapturedObjects(ids: [object?.objectID])
    }

    /// Objects that were captured together.
    public static func build_Arg<Object: ManagedObject>(_ objects: [Object]) -> CapturedObjects<Object> {
        CapturedObjects(ids: objects.map(\.objectID))
    }

    /// `$0.next == object`.
    public static func build_Equal<Part: PredicateExpression, Object: ManagedObject>(
        lhs: Part, rhs: CapturedObjects<Object>
    ) -> IsObject<Part> where Part.Output == Object? { IsObject(part: lhs, ids: rhs.ids) }

    /// `$0 == object`.
    public static func build_Equal<Part: PredicateExpression, Object: ManagedObject>(
        lhs: Part, rhs: CapturedObjects<Object>
    ) -> IsObject<Part> where Part.Output == Object { IsObject(part: lhs, ids: rhs.ids) }

    /// `object == $0.next`.
    public static func build_Equal<Part: PredicateExpression, Object: ManagedObject>(
        lhs: CapturedObjects<Object>, rhs: Part
    ) -> IsObject<Part> where Part.Output == Object? { IsObject(part: rhs, ids: lhs.ids) }

    /// `object == $0`.
    public static func build_Equal<Part: PredicateExpression, Object: ManagedObject>(
        lhs: CapturedObjects<Object>, rhs: Part
    ) -> IsObject<Part> where Part.Output == Object { IsObject(part: rhs, ids: lhs.ids) }

    /// `$0.next != object`.
    public static func build_NotEqual<Part: PredicateExpression, Object: ManagedObject>(
        lhs: Part, rhs: CapturedObjects<Object>
    ) -> Negation<IsObject<Part>> where Part.Output == Object? {
        build_Negation(build_Equal(lhs: lhs, rhs: rhs))
    }

    /// `$0 != object`.
    public static func build_NotEqual<Part: PredicateExpression, Object: ManagedObject>(
        lhs: Part, rhs: CapturedObjects<Object>
    ) -> Negation<IsObject<Part>> where Part.Output == Object {
        build_Negation(build_Equal(lhs: lhs, rhs: rhs))
    }

    /// `object != $0.next`.
    public static func build_NotEqual<Part: PredicateExpression, Object: ManagedObject>(
        lhs: CapturedObjects<Object>, rhs: Part
    ) -> Negation<IsObject<Part>> where Part.Output == Object? {
        build_Negation(build_Equal(lhs: lhs, rhs: rhs))
    }

    /// `object != $0`.
    public static func build_NotEqual<Part: PredicateExpression, Object: ManagedObject>(
        lhs: CapturedObjects<Object>, rhs: Part
    ) -> Negation<IsObject<Part>> where Part.Output == Object {
        build_Negation(build_Equal(lhs: lhs, rhs: rhs))
    }

    /// `$0.previous.contains(object)`.
    public static func build_contains<Part: PredicateExpression, Object: ManagedObject>(
        _ lhs: Part, _ rhs: CapturedObjects<Object>
    ) -> HasObject<Part> where Part.Output: Sequence, Part.Output.Element == Object {
        HasObject(part: lhs, id: rhs.ids.first ?? nil)
    }

    /// `objects.contains($0)`.
    public static func build_contains<Part: PredicateExpression, Object: ManagedObject>(
        _ lhs: CapturedObjects<Object>, _ rhs: Part
    ) -> IsObject<Part> where Part.Output == Object { IsObject(part: rhs, ids: lhs.ids) }
}

extension PredicateExpressions.IsObject: PredicateTermSource {
    func term(in translation: inout PredicateTranslation) throws(QueryError) -> PredicateTerm {
        let values = ids.map { id in id.map { AttributeValue.object($0) } ?? .null }
        let object = try translation.operand(part)
        if values.count == 1 { return .predicate(object.isEqual(to: PredicateOperand(values[0]))) }
        return .predicate(object.isOne(of: values))
    }
}

extension PredicateExpressions.HasObject: PredicateTermSource {
    func term(in translation: inout PredicateTranslation) throws(QueryError) -> PredicateTerm {
        let term = try translation.term(of: part)
        guard case .objects(let objects) = term else {
            throw .invalidOperand("\(term.name) has no objects in a store")
        }
        return .predicate(.compare(id.map { .constant(.object($0)) } ?? .constant(.null), .in, objects))
    }
}
