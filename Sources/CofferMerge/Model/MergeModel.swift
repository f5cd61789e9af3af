package import CofferModel

/// What the rules of merging need of a model.
package struct MergeModel: Sendable {
    /// The entities by canonical name, as all that registers hold is named.
    package let entities: [String: MergeEntity]
    /// The entities by their places in the model.
    private let places: [MergeEntity]
    /// The uniqueness constraints, in the model's order.
    package let constraints: [MergeConstraint]
    /// The names of all properties that are in one.
    private let keyProperties: Set<String>

    /// The names of the to-one relationships that stand in one.
    let keyReferences: Set<String>
    /// Whether a key's reference may lead elsewhere by what its target says.
    let hasMutualKeys: Bool
    /// The places of the entities whose objects have keys, or may be named in one.
    private let keyEntities: Set<Int>
    /// Whether a relationship of any entity may not lead round in a circle.
    let hasAcyclicLinks: Bool

    /// What a simulation leaves out.
    let omitted: OmittedRules

    /// What merging needs of `model`; only a simulation omits rules.
    package init(_ model: ManagedObjectModel, omitting omitted: OmittedRules = []) {
        self.omitted = omitted
        let names = CanonicalNames(model)
        let ownerEnds = names.ownerEnds(in: model)
        places = model.entities.map { MergeEntity($0, in: model, called: names, ownerEnds: ownerEnds) }
        entities = Dictionary(uniqueKeysWithValues: places.map { ($0.name, $0) })
        constraints = model.entities.flatMap { entity in
            entity.definition.uniquenessConstraints.map { properties in
                MergeConstraint(
                    family: entity.familyIndices,
                    properties: properties.compactMap { name in
                        entity.propertyIndex(named: name).map { names.properties[entity.index][$0] }
                    })
            }
        }
        keyProperties = Set(constraints.flatMap(\.properties))
        let (keys, all) = (keyProperties, places.flatMap { $0.references.values })
        let references = all.filter { keys.contains($0.name.property) }
        keyReferences = Set(references.map(\.name.property))
        hasMutualKeys = references.contains { $0.isOneToOne || $0.isAcyclic }
        keyEntities = Set(constraints.flatMap(\.family)).union(references.flatMap(\.targets))
        hasAcyclicLinks = places.contains { $0.references.values.contains(where: \.isAcyclic) }
    }

    /// Whether any entity has a property of that name in a key.
    func isInKey(_ property: String) -> Bool { keyProperties.contains(property) }

    /// Whether objects of an entity have keys, or may be named in one.
    func isConcernedByKeys(_ entity: MergeEntity) -> Bool { keyEntities.contains(entity.index) }

    /// Whether a property of an entity's objects is part of a key.
    package func isKey(_ property: String, of entity: MergeEntity) -> Bool {
        constraints.contains { $0.family.contains(entity.index) && $0.properties.contains(property) }
    }

    /// The entity at a place in the model.
    package func entity(at index: Int) -> MergeEntity { places[index] }

    /// The to-many relationship without inverse whose other end `relationship` is.
    ///
    /// - Returns: The entity that declares it, and its place there; `nil` if the model has a property for
    ///   `relationship`.
    package func set(of relationship: MergeRelationship) -> (owner: MergeEntity, property: Int)? {
        guard relationship.isUnnamed, let set = relationship.inverse, let owner = entities[set.entity],
            let property = owner.propertyIndex(set.property)
        else { return nil }
        return (owner, property)
    }

    /// Whether objects of the entity that registers call `name` may be where `relationship` leads.
    package func accepts(_ name: String, at relationship: MergeRelationship) -> Bool {
        entities[name].map { relationship.targets.contains($0.index) } ?? false
    }
}

/// Properties whose values together no two objects of some entities share.
package struct MergeConstraint: Sendable {
    /// The places in the model of the entity that declares it and of all that inherit from it.
    package let family: Range<Int>
    /// The properties' canonical names: attributes, or to-one relationships.
    package let properties: [String]
}
