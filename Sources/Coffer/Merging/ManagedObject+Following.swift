import CofferModel

/// A property at the other end of a relationship that somebody else changed.
struct FollowingEnd {
    var reference: ObjectReference
    var slot: Int
}

extension ManagedObject {
    /// Forgets what is known at the other ends of a to-one relationship that turns out to lead elsewhere; says where that is.
    @discardableResult
    final func follow(
        _ slot: Int, from old: PropertyContent?, to new: PropertyContent
    ) -> [FollowingEnd] {
        guard let relationship = layout.relationships[slot], !relationship.isToMany,
            let inverse = relationship.inverseSlot, old != new
        else { return [] }
        let ends = [old?.reference, new.reference].compactMap(\.self)
        for end in ends {
            guard let object = registry.object(end), let edits = object.edits ?? object.editsOfRow else {
                continue
            }
            if relationship.isInverseToMany {
                guard edits.toMany[inverse] != nil else { continue }
                object.withMutation(of: [inverse]) { edits.toMany[inverse]?.unload() }
            } else {
                object.forgetPartner(inverse, edits, unless: end == new.reference ? reference : nil)
            }
        }
        return ends.map { FollowingEnd(reference: $0, slot: inverse) }
    }

    /// Where an object that has read its row keeps what it knows better; `nil` for one that has read nothing.
    private final var editsOfRow: ObjectEdits? { batch == nil ? nil : makeEdits() }

    /// Lets a one-to-one relationship be read anew, unless it leads to `partner` or was changed here.
    private final func forgetPartner(
        _ slot: Int, _ edits: ObjectEdits, unless partner: ObjectReference?
    ) {
        defer { dropIdleEdits() }
        guard batch != nil, edits.changed[slot] == nil, let known = knownContent(slot) else { return }
        if let partner, known.reference == partner { return }
        withMutation(of: [slot]) {
            edits.moved[slot] = nil
            edits.stale.insert(slot)
        }
    }

    /// Follows that the object is gone, as far as the ends of its relationships are known.
    final func leaveEnds() {
        for case let relationship? in layout.relationships {
            guard let inverse = relationship.inverseSlot, relationship.isInverseToMany else { continue }
            let ends =
                relationship.isToMany
                ? edits?.toMany[relationship.slot]?.members ?? []
                : [edits?.changed[relationship.slot], knownContent(relationship.slot)].compactMap {
                    $0?.reference
                }
            for end in ends {
                guard let object = registry.object(end), object.edits?.toMany[inverse] != nil else {
                    continue
                }
                object.editMembers(inverse) { content in
                    content.forgetMove(of: reference)
                    if content.contains(reference) ?? false { content.unload() }
                }
                object.dropEmptyMembers(inverse)
            }
        }
    }

    /// Forgets a to-many relationship that was neither read nor changed.
    final func dropEmptyMembers(_ slot: Int) {
        guard let edits, let content = edits.toMany[slot], content.stored == nil, !content.isChanged,
            !status.contains(.inserted)
        else { return }
        edits.toMany[slot] = nil
        dropIdleEdits()
    }
}
