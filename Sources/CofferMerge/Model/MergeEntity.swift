package import CofferModel

/// What the rules of merging need of an entity; all names are canonical.
package final class MergeEntity: Sendable {
    /// The name.
    package let name: String
    /// The place in the model.
    package let index: Int
    /// The attributes that are carried, by name.
    package let attributes: [String: MergeAttribute]
    /// The to-one relationships, by name; to owners in to-many relationships without inverse, too.
    package let references: [String: MergeRelationship]
    /// The relationships of many to many, by name.
    package let pairs: [String: MergeRelationship]
    /// The other to-many relationships, by name.
    package let collections: [String: MergeRelationship]
    /// Whether an attribute that was edited after a deletion brings the record back.
    package let editsRevive: Bool
    /// The names of all properties, by their places in the entity.
    private let names: [String]
    private let indices: [String: Int]

    /// What merging needs of `entity`.
    init(
        _ entity: EntityDescription, in model: ManagedObjectModel, called canonical: CanonicalNames,
        ownerEnds: [RelationshipName: RelationshipName]
    ) {
        name = canonical.entities[entity.index]
        names = canonical.properties[entity.index]
        indices = Dictionary(uniqueKeysWithValues: names.enumerated().map { ($1, $0) })
        index = entity.index
        editsRevive = model.words(of: .editsRevive, entity).contains("YES")
        let acyclic = model.words(of: .acyclic, entity)
        attributes = Dictionary(
            uniqueKeysWithValues: entity.attributes.filter { !$0.isTransient && $0.isCarried }
                .map { (canonical.properties[entity.index][$0.index], MergeAttribute($0)) })
        let own = entity.relationships.filter { !$0.isTransient }
            .map {
                MergeRelationship(
                    $0, in: model, called: canonical, ownerEnds: ownerEnds,
                    isAcyclic: acyclic.contains($0.name))
            }
        let owners = model.setsWithoutInverse.compactMap { set -> MergeRelationship? in
            guard model.destination(of: set).familyIndices.contains(entity.index),
                let end = ownerEnds[canonical.name(of: set)]
            else { return nil }
            return MergeRelationship(end, toOwnersIn: set, in: model, called: canonical)
        }
        let all = own + owners
        let named = { (isIncluded: (MergeRelationship) -> Bool) in
            Dictionary(uniqueKeysWithValues: all.filter(isIncluded).map { ($0.name.property, $0) })
        }
        references = named { !$0.isToMany }
        pairs = named { $0.isPaired }
        collections = named { $0.isToMany && !$0.isPaired }
    }
}

extension MergeEntity {
    /// The name of the property at a place in the entity.
    package func propertyName(at index: Int) -> String { names[index] }

    /// The place of a property in the entity.
    package func propertyIndex(_ name: String) -> Int? { indices[name] }

    /// A relationship by name.
    package func relationship(_ name: String) -> MergeRelationship? {
        references[name] ?? pairs[name] ?? collections[name]
    }

    /// All relationships, in no order.
    package var relationships: [MergeRelationship] {
        Array(references.values) + Array(pairs.values) + Array(collections.values)
    }

    /// The relationships that a deletion follows by this model, by name.
    package var cascading: [String] {
        relationships.filter { $0.rule == .cascade }.map(\.name.property).sorted()
    }

    /// The relationships that refuse a deletion while they hold an object, by name: Deny, and Nullify if
    /// the other end requires an object.
    package var denying: [String] {
        relationships.filter(\.denies).map(\.name.property).sorted()
    }
}

extension ManagedObjectModel {
    /// The to-many relationships without inverse that are stored, each once.
    package var setsWithoutInverse: [RelationshipDescription] {
        entities.flatMap { entity in
            entity.relationships.filter {
                $0.declaringEntityIndex == entity.index && $0.isToMany && !$0.isTransient
                    && inverse(of: $0) == nil
            }
        }
    }
}

extension AttributeDescription {
    /// Whether peers tell each other its values: what is derived each computes, except for the time.
    fileprivate var isCarried: Bool { definition.derivationExpression == nil || isTimeOfSave }
}
