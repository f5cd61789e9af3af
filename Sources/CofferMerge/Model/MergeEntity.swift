internal import CofferModel

/// What the rules of merging need of an entity; all names are canonical.
package final class MergeEntity: Sendable {
    /// Notes of an entity, in its `userInfo`, that this module reads.
    private enum Note {
        /// Names to-one relationships that may not lead round in a circle, with spaces between.
        static let acyclic = "coffer.acyclic"
        /// `YES` where an edit of an attribute brings back what was deleted before.
        static let editsRevive = "coffer.editsRevive"
    }

    /// The name.
    package let name: String
    /// The place in the model.
    package let index: Int
    /// The attributes that are carried, by name.
    package let attributes: [String: MergeAttribute]
    /// The to-one relationships, by name.
    package let references: [String: MergeRelationship]
    /// The relationships of many to many, and those to many that have no inverse, by name.
    package let pairs: [String: MergeRelationship]
    /// The to-many relationships whose inverse is a to-one, by name.
    package let collections: [String: MergeRelationship]
    /// Whether an attribute that was edited after a deletion brings the record back.
    package let editsRevive: Bool
    /// The names of all properties, by their places in the entity.
    private let names: [String]
    private let indices: [String: Int]

    /// What merging needs of `entity`.
    init(_ entity: EntityDescription, in model: ManagedObjectModel, called canonical: CanonicalNames) {
        name = canonical.entities[entity.index]
        names = canonical.properties[entity.index]
        indices = Dictionary(uniqueKeysWithValues: names.enumerated().map { ($1, $0) })
        index = entity.index
        editsRevive = Self.notes(Note.editsRevive, of: entity, in: model).contains("YES")
        let acyclic = Self.notes(Note.acyclic, of: entity, in: model)
        attributes = Dictionary(
            uniqueKeysWithValues: entity.attributes.filter { !$0.isTransient && $0.isCarried }
                .map { (canonical.properties[entity.index][$0.index], MergeAttribute($0)) })
        let all = entity.relationships.filter { !$0.isTransient }
            .map {
                MergeRelationship(
                    $0, in: model, called: canonical, isAcyclic: acyclic.contains($0.name))
            }
        let named = { (isIncluded: (MergeRelationship) -> Bool) in
            Dictionary(uniqueKeysWithValues: all.filter(isIncluded).map { ($0.name.property, $0) })
        }
        references = named { !$0.isToMany }
        pairs = named { $0.isPaired }
        collections = named { $0.isToMany && !$0.isPaired }
    }

    /// The words of a note, of the entity and of all that it inherits from.
    private static func notes(
        _ key: String, of entity: EntityDescription, in model: ManagedObjectModel
    ) -> Set<String> {
        var words: Set<String> = []
        var next: EntityDescription? = entity
        while let entity = next {
            words.formUnion((entity.definition.userInfo[key] ?? "").split(separator: " ").map(String.init))
            next = entity.superentityIndex.map { model.entities[$0] }
        }
        return words
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

    /// The relationships that refuse a deletion while they hold somebody, by name: Deny, and Nullify where
    /// the other end requires one.
    package var denying: [String] {
        relationships.filter(\.denies).map(\.name.property).sorted()
    }
}

extension AttributeDescription {
    /// Whether peers tell each other its values: what is derived each computes, except for the time.
    fileprivate var isCarried: Bool { definition.derivationExpression == nil || isTimeOfSave }
}
