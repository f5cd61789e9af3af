import CofferModel

// What a save tells of objects that a program took from another one, before it deleted that one: the delete
// rules do not reach them, and the store knows only what it is told.

extension ManagedObject {
    /// The to-one relationships that were set before this object was deleted, and whose rules would reach
    /// what the store has there.
    final var detachedSlots: [Int] {
        guard let edits, !edits.changed.isEmpty else { return [] }
        return edits.changed.slots.filter { slot in
            guard let relationship = layout.relationships[slot], !relationship.isToMany else { return false }
            return relationship.takesAlong
        }
    }

    /// The former members of a to-many relationship of this object, as far as a save has to tell of them.
    ///
    /// The store itself parts the objects that it deletes from others. It is told of members that had left
    /// before, if a rule of the deletion would reach them.
    final func toldLeavers(_ content: ToManyContent, of relationship: RelationshipLayout) -> [ObjectReference]
    {
        content.removed.filter { member in
            guard let other = registry.object(member), other.isLost else {
                return !isLost || relationship.takesAlong
            }
            guard !isLost, !other.status.contains(.gone), let inverse = relationship.inverseSlot else {
                return false
            }
            return other.layout.relationships[inverse]?.takesAlong ?? false
        }
    }
}

extension RelationshipLayout {
    /// Whether its rule has a say about the objects at the other end, when an object is deleted.
    fileprivate var takesAlong: Bool { deleteRule == .cascade || deleteRule == .deny }
}
