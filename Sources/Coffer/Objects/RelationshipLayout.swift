import CofferModel

/// What a context knows of a relationship to keep both its ends in step.
final class RelationshipLayout {
    let name: String
    /// The place in its entity's properties.
    let slot: Int
    let isToMany: Bool
    /// Whether it is a to-many relationship whose members have an order.
    let isOrdered: Bool
    let deleteRule: DeleteRule
    /// The entity at the other end, and the top of its inheritance tree.
    let destination: EntityDescription
    /// The entities whose objects may be there: what a row says may be any other.
    let ends: Range<Int>
    /// The inverse's place in the destination's properties.
    let inverseSlot: Int?
    let isInverseToMany: Bool
    /// Whether it is to-one, and those at the other end have their members in order.
    let isInverseOrdered: Bool
    /// Whether a save sends this side's entering and leaving objects: of a many-to-many relationship one side
    /// does.
    let sendsMembers: Bool
    /// The class that was last asked for at the other end, which the context knows since.
    var expectedClass: ObjectIdentifier?

    init(_ relationship: RelationshipDescription, model: ManagedObjectModel) {
        let inverse = model.inverse(of: relationship)
        name = relationship.name
        slot = relationship.index
        isToMany = relationship.isToMany
        isOrdered = relationship.isToMany && relationship.isOrdered
        deleteRule = relationship.deleteRule
        destination = model.destination(of: relationship)
        ends = destination.familyIndices
        inverseSlot = relationship.inverseIndex
        isInverseToMany = inverse?.isToMany ?? false
        isInverseOrdered = !relationship.isToMany && isInverseToMany && (inverse?.isOrdered ?? false)
        sendsMembers = relationship.isToMany && Self.isSender(relationship, inverse: inverse)
    }

    /// Whether it is one-to-one.
    var isPair: Bool { !isToMany && inverseSlot != nil && !isInverseToMany }

    /// Whether this side sends: the side whose entity comes first does, or whose name comes first if both are
    /// of one entity.
    private static func isSender(_ side: RelationshipDescription, inverse: RelationshipDescription?) -> Bool {
        guard let inverse else { return true }
        guard inverse.isToMany else { return false }
        if side.declaringEntityIndex != inverse.declaringEntityIndex {
            return side.declaringEntityIndex < inverse.declaringEntityIndex
        }
        return side.name <= inverse.name
    }
}
