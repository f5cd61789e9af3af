package import CofferModel

/// What the rules of merging need of a model.
package struct MergeModel: Sendable {
    /// The entities by name.
    package let entities: [String: MergeEntity]
    /// The uniqueness constraints, in the model's order.
    package let constraints: [MergeConstraint]

    /// What a simulation leaves out.
    let omitted: OmittedRules

    /// What merging needs of `model`; only a simulation omits rules.
    package init(_ model: ManagedObjectModel, omitting omitted: OmittedRules = []) {
        self.omitted = omitted
        entities = Dictionary(
            uniqueKeysWithValues: model.entities.map { ($0.name, MergeEntity($0, in: model)) })
        constraints = model.entities.flatMap { entity in
            entity.definition.uniquenessConstraints.map {
                MergeConstraint(family: entity.familyIndices, properties: $0)
            }
        }
    }

    /// Whether a property of an entity's objects is part of a key.
    package func isKey(_ property: String, of entity: MergeEntity) -> Bool {
        constraints.contains { $0.family.contains(entity.index) && $0.properties.contains(property) }
    }

    /// Whether objects of the entity called `name` may be where `relationship` leads.
    package func accepts(_ name: String, at relationship: MergeRelationship) -> Bool {
        entities[name].map { relationship.targets.contains($0.index) } ?? false
    }
}

/// Properties whose values together no two objects of some entities share.
package struct MergeConstraint: Sendable {
    /// The places in the model of the entity that declares it and of all that inherit from it.
    package let family: Range<Int>
    /// The properties' names: attributes, or to-one relationships.
    package let properties: [String]
}
