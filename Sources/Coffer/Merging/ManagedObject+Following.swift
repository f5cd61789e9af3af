import CofferModel

/// A property at the other end of a relationship that somebody else changed.
struct FollowingEnd: Sendable {
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
            guard let object = registry.object(end) else { continue }
            if relationship.isPair {
                let knowsThis = object.knownContent(inverse)?.reference == reference
                if knowsThis == (end == new.reference) { continue }
            }
            object.forgetEnd(inverse)
        }
        return ends.map { FollowingEnd(reference: $0, slot: inverse) }
    }

    /// Lets a relationship be read anew; what was changed here stays.
    final func forgetEnd(_ slot: Int) {
        if layout.relationships[slot]?.isToMany ?? false {
            guard edits?.toMany[slot] != nil else { return }
            return withMutation(of: [slot]) { edits?.toMany[slot]?.unload() }
        }
        guard batch != nil, edits?.changed[slot] == nil, !status.contains(.inserted) else { return }
        withMutation(of: [slot]) {
            let edits = makeEdits()
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
                object.withMutation(of: [inverse]) {
                    object.edits?.toMany[inverse]?.forgetMove(of: reference)
                    object.edits?.toMany[inverse]?.unload()
                }
            }
        }
    }
}
