package import CofferModel

/// What the rules of merging need of a relationship.
package final class MergeRelationship: Sendable {
    /// The entity that declares it, and its name.
    package let name: RelationshipName
    /// The relationship at the other end.
    package let inverse: RelationshipName?
    /// The places in the model of the entities whose objects it may lead to.
    package let targets: Range<Int>
    /// Whether it leads to many.
    package let isToMany: Bool
    /// Whether the other end leads to many.
    package let isInverseToMany: Bool
    /// Whether its members have places.
    package let isOrdered: Bool
    /// Whether it may lead to no object.
    package let isOptional: Bool
    /// What a deletion does to those it leads to.
    package let rule: DeleteRule
    /// Whether it may not lead round in a circle.
    package let isAcyclic: Bool
    /// Whether it refuses a deletion while it leads to an object.
    package let denies: Bool
    /// Whether the model has no property for it: it is the other end of a to-many relationship without
    /// inverse, whose members have one owner each, as rows of a store do.
    package let isUnnamed: Bool

    /// What merging needs of a relationship of the model.
    init(
        _ relationship: RelationshipDescription, in model: ManagedObjectModel,
        called canonical: CanonicalNames, ownerEnds: [RelationshipName: RelationshipName], isAcyclic: Bool
    ) {
        let other = model.inverse(of: relationship)
        name = canonical.name(of: relationship)
        inverse = other.map(canonical.name) ?? ownerEnds[name]
        targets = model.destination(of: relationship).familyIndices
        isToMany = relationship.isToMany
        isInverseToMany = other?.isToMany ?? false
        isOrdered = relationship.definition.isOrdered
        isOptional = relationship.definition.isOptional
        rule = relationship.definition.deleteRule
        self.isAcyclic = isAcyclic && !relationship.isToMany
        let isNeeded = other.map { !$0.isToMany && !$0.definition.isOptional } ?? false
        denies = rule == .deny || rule == .nullify && isNeeded
        isUnnamed = false
    }

    /// The other end of a to-many relationship without inverse: to the one owner of a member.
    init(
        _ name: RelationshipName, toOwnersIn relationship: RelationshipDescription,
        in model: ManagedObjectModel, called canonical: CanonicalNames
    ) {
        self.name = name
        inverse = canonical.name(of: relationship)
        targets = model.entities[relationship.declaringEntityIndex].familyIndices
        (isToMany, isInverseToMany, isOrdered, isOptional) = (false, true, false, true)
        (rule, isAcyclic, denies, isUnnamed) = (.nullify, false, false, true)
    }

    /// Whether both ends lead to at most one.
    package var isOneToOne: Bool { oneToOneInverse != nil }

    /// The name of the property at the other end of a one-to-one.
    package var oneToOneInverse: String? { isToMany || isInverseToMany ? nil : inverse?.property }

    /// Whether it is kept as pairs of records.
    package var isPaired: Bool { isToMany && isInverseToMany }

    /// The pair of two records that this relationship of the first one may hold.
    package func pair(_ record: RecordID, _ other: RecordID) -> PairKey {
        guard let inverse else { return PairKey(name, first: record, second: other) }
        if inverse == name { return PairKey(name, first: min(record, other), second: max(record, other)) }
        return name < inverse
            ? PairKey(name, first: record, second: other) : PairKey(inverse, first: other, second: record)
    }
}
