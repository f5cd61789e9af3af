/// Something in a mapping model that does not fit the models that it leads from and to.
package struct MappingProblem: Error, Equatable, Sendable {
    /// The entity mapping's name.
    package let mapping: String
    /// The property mapping's name; `nil` if the entity mapping itself is at fault.
    package let property: String?
    /// What is wrong with it.
    package let reason: Reason

    /// A problem of an entity mapping, or of one of its property mappings.
    package init(mapping: String, property: String?, reason: Reason) {
        (self.mapping, self.property, self.reason) = (mapping, property, reason)
    }

    /// Where a mapping leads from or to.
    package enum End: String, Sendable, Hashable {
        /// What objects are taken from.
        case source
        /// What objects are made in.
        case destination
    }

    /// What is wrong.
    package enum Reason: Equatable, Sendable {
        /// Another entity mapping, or another property mapping of the same one, has the name too.
        case repeated
        /// A mapping of this kind needs an entity at this end.
        case needs(End)
        /// A mapping of this kind has no entity at this end.
        case excludes(End)
        /// The model at that end has no such entity.
        case unknownEntity(String, End)
        /// The entity is abstract, so no object can be made of it.
        case abstractDestination(String)
        /// The entity has no such property.
        case unknownProperty(entity: String)
        /// The property is an attribute of the entity and mapped as a relationship, or the other way round.
        case otherKind(entity: String)
        /// The mapping model has no entity mapping of that name.
        case unknownMapping(String)
        /// The named entity mapping makes objects that the relationship does not lead to; `nil` if it
        /// makes none.
        case otherObjects(made: String?, by: String, expected: String)
        /// The source's entity has no such relationship.
        case unknownRelationship(String, entity: String)
        /// The expression gives something else than the property, or the mapping of objects, takes.
        case otherValue(found: String, expected: String)
        /// An expression or a predicate cannot be read, or does not fit the source's entity.
        case expression(QueryError)
    }
}

extension MappingProblem: CustomStringConvertible {
    /// What is wrong, where, and what to do, in a sentence.
    package var description: String {
        guard let property else { return "The mapping '\(mapping)' \(text)" }
        return "In the mapping '\(mapping)', the property '\(property)' \(text)"
    }

    private var text: String {
        switch reason {
        case .repeated: "is there twice: give each a name of its own, or take one out."
        case .needs(let end): "has no \(end.rawValue) entity, and needs one to do what it says."
        case .excludes(let end): "has a \(end.rawValue) entity, and must not have one to do what it says."
        case .unknownEntity(let name, let end): "names '\(name)', which the \(end.rawValue) model has not."
        case .abstractDestination(let name):
            "makes objects of '\(name)', which is abstract: map to an entity that inherits from it."
        case .unknownProperty(let entity): "does not exist in entity '\(entity)'."
        case .otherKind(let entity):
            "is mapped as an attribute and is a relationship of entity '\(entity)', or the other way round."
        case .unknownMapping(let name): "asks for what '\(name)' made, which the mapping model has not."
        case .otherObjects(let made?, let name, let expected):
            "leads to '\(expected)', and '\(name)' makes objects of '\(made)'."
        case .otherObjects(nil, let name, let expected):
            "leads to '\(expected)', and '\(name)' makes no objects."
        case .unknownRelationship(let name, let entity):
            "asks for the objects of '\(name)', which is not a relationship of entity '\(entity)'."
        case .otherValue(let found, let expected): "takes \(expected), and its expression gives \(found)."
        case .expression(let error): "has an expression that does not fit. \(error.description)"
        }
    }
}
