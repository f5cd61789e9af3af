/// A property of an entity: an attribute or a relationship.
public enum PropertyDescription: Sendable, Hashable {
    /// Holds a value.
    case attribute(AttributeDescription)
    /// Holds one object or a set of them.
    case relationship(RelationshipDescription)

    /// The name, unique in its entity.
    public var name: String {
        switch self {
        case .attribute(let attribute): attribute.name
        case .relationship(let relationship): relationship.name
        }
    }

    /// The attribute, if it is one.
    public var attribute: AttributeDescription? {
        if case .attribute(let attribute) = self { attribute } else { nil }
    }

    /// The relationship, if it is one.
    public var relationship: RelationshipDescription? {
        if case .relationship(let relationship) = self { relationship } else { nil }
    }

    /// Whether it is never stored.
    public var isTransient: Bool {
        switch self {
        case .attribute(let attribute): attribute.definition.isTransient
        case .relationship(let relationship): relationship.definition.isTransient
        }
    }
}

/// An attribute of an entity.
@dynamicMemberLookup
public struct AttributeDescription: Sendable, Hashable {
    /// The place in its entity's `properties`, and in those of all that inherit from it.
    public let index: Int
    /// The entity that declares it.
    public let declaringEntityIndex: Int
    /// What was declared of it.
    public let definition: AttributeDefinition

    /// What was declared of it, field by field.
    public subscript<Field>(dynamicMember field: KeyPath<AttributeDefinition, Field>) -> Field {
        definition[keyPath: field]
    }

    /// The name, unique in its entity.
    public var name: String { definition.name }
    /// What kind of value it holds.
    public var type: AttributeType { definition.type }
}

/// A relationship of an entity.
@dynamicMemberLookup
public struct RelationshipDescription: Sendable, Hashable {
    /// The place in its entity's `properties`, and in those of all that inherit from it.
    public let index: Int
    /// The entity that declares it.
    public let declaringEntityIndex: Int
    /// The entity at the other end.
    public let destinationIndex: Int
    /// The inverse's place in the destination's `properties`.
    public let inverseIndex: Int?
    /// What was declared of it.
    public let definition: RelationshipDefinition

    /// What was declared of it, field by field.
    public subscript<Field>(dynamicMember field: KeyPath<RelationshipDefinition, Field>) -> Field {
        definition[keyPath: field]
    }

    /// The name, unique in its entity.
    public var name: String { definition.name }
    /// Whether it holds a set of objects instead of at most one.
    public var isToMany: Bool { definition.isToMany }
}
