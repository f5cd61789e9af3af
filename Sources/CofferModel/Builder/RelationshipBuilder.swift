/// What `One` and `Many` have in common.
public protocol RelationshipElement: EntityElement {
    /// What has been declared so far.
    var definition: RelationshipDefinition { get set }
}

extension RelationshipElement {
    /// Adds the relationship to an entity.
    public func add(to entity: inout EntityDefinition) { entity.relationships.append(definition) }

    /// A copy of the relationship that may be empty when saved; relationships are so from the start.
    public func optional(_ isOptional: Bool = true) -> Self { changed { $0.isOptional = isOptional } }

    /// A copy of the relationship that must not be empty when saved.
    public func required() -> Self { optional(false) }

    /// A copy of the relationship with the least and the greatest count as model files have them: 0 sets
    /// no bound.
    public func count(minimum: Int, maximum: Int) -> Self {
        changed {
            $0.minimumCount = minimum
            $0.maximumCount = maximum
        }
    }

    /// A copy of the relationship that is never stored.
    public func transient() -> Self { changed { $0.isTransient = true } }

    /// A copy of the relationship with the name it had in an earlier version of the model.
    public func renamed(from identifier: String) -> Self { changed { $0.renamingIdentifier = identifier } }

    /// A copy of the relationship with a text that enters the version hash, to force a difference.
    public func versionHashModifier(_ modifier: String) -> Self {
        changed { $0.versionHashModifier = modifier }
    }

    /// A copy of the relationship with free notes of the application.
    public func userInfo(_ userInfo: [String: String]) -> Self {
        changed { $0.userInfo.merge(userInfo) { $1 } }
    }

    fileprivate func changed(_ change: (inout RelationshipDefinition) -> Void) -> Self {
        var copy = self
        change(&copy.definition)
        return copy
    }
}

/// A to-one relationship in an entity's braces.
public struct One: RelationshipElement, Hashable {
    /// What has been declared so far.
    public var definition: RelationshipDefinition

    /// A relationship to at most one object of an entity.
    ///
    /// The inverse is the relationship at the other end that is kept in step with this one; the delete rule
    /// says what happens to the other end when an object is deleted.
    public init(
        _ name: String, _ destination: String, inverse: String? = nil, deleteRule: DeleteRule = .nullify
    ) {
        definition = RelationshipDefinition(
            name, to: destination, inverse: inverse, deleteRule: deleteRule)
    }
}

/// A to-many relationship in an entity's braces.
public struct Many: RelationshipElement, Hashable {
    /// What has been declared so far.
    public var definition: RelationshipDefinition

    /// A relationship to a set of objects of an entity.
    ///
    /// The inverse is the relationship at the other end that is kept in step with this one; the delete
    /// rule says what happens to the other end when an object is deleted; the count is how many there may
    /// be if there are any, and unlimited if it is `nil`.
    public init(
        _ name: String, _ destination: String, inverse: String? = nil, deleteRule: DeleteRule = .nullify,
        ordered: Bool = false, count: ClosedRange<Int>? = nil
    ) {
        definition = RelationshipDefinition(
            name, to: destination, inverse: inverse, isToMany: true, isOrdered: ordered,
            minimumCount: count?.lowerBound ?? 0, maximumCount: count?.upperBound ?? 0,
            deleteRule: deleteRule)
    }
}

/// A fetch index in an entity's braces: properties that are looked up or sorted by together.
public struct Index: EntityElement, Hashable {
    /// What has been declared so far.
    public var definition: FetchIndexDefinition

    /// An index on properties in order, all upwards.
    public init(_ name: String, on properties: String...) {
        definition = FetchIndexDefinition(name, elements: properties.map { .init($0) })
    }

    /// An index on properties in order, each with its direction; of the objects that satisfy a predicate,
    /// if one is given.
    public init(
        _ name: String, elements: [FetchIndexDefinition.Element],
        kind: FetchIndexDefinition.Kind = .binary, partialPredicate: String? = nil
    ) {
        definition = FetchIndexDefinition(
            name, elements: elements, kind: kind, partialPredicate: partialPredicate)
    }

    /// Adds the index to an entity.
    public func add(to entity: inout EntityDefinition) { entity.indexes.append(definition) }
}

/// A uniqueness constraint in an entity's braces: no two objects agree in all of the attributes.
public struct Unique: EntityElement, Hashable {
    /// The attributes' names.
    public var attributes: [String]

    /// A constraint on attributes together.
    public init(_ attributes: String...) { self.attributes = attributes }

    /// Adds the constraint to an entity.
    public func add(to entity: inout EntityDefinition) { entity.uniquenessConstraints.append(attributes) }
}
