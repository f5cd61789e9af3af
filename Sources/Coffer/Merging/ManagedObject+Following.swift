import CofferModel

/// A property at the other end of a relationship that was changed elsewhere.
struct FollowingEnd: Sendable {
    var reference: ObjectReference
    var slot: Int
}

extension ManagedObject {
    /// Forgets what is known at the other ends of a to-one relationship that turns out to lead elsewhere;
    /// returns those ends.
    ///
    /// In a one-to-one pair an object has only one partner: if another object was known as the partner, that
    /// pair is forgotten as a whole.
    @discardableResult
    final func follow(
        _ slot: Int, from old: PropertyContent?, to new: PropertyContent
    ) -> [FollowingEnd] {
        guard let relationship = layout.relationships[slot], !relationship.isToMany,
            let inverse = relationship.inverseSlot, old != new
        else { return [] }
        let ends = [old?.reference, new.reference].compactMap(\.self)
        var following = ends.map { FollowingEnd(reference: $0, slot: inverse) }
        for end in ends {
            guard let object = registry.object(end) else { continue }
            if relationship.isPair {
                let known = object.presumedContent(inverse)?.reference
                if (known == reference) == (end == new.reference) { continue }
                if let known, known != reference {
                    following.append(FollowingEnd(reference: known, slot: slot))
                    registry.object(known)?.forgetEnd(slot, leadingTo: end)
                }
            } else if edits?.changed[slot] == nil, object.edits?.toMany[inverse] != nil {
                // An object that came back to its former owner may have entered there again, but that is not
                // a change of this context.
                object.editMembers(inverse) { $0.forgetMove(of: reference) }
            }
            object.forgetEnd(inverse)
            if relationship.isPair, object.edits?.stale.contains(inverse) ?? false {
                object.edits?.claims[inverse] = end == new.reference ? reference : nil
            }
        }
        return following
    }

    /// The content of a to-one relationship as far as it is known.
    ///
    /// If it is to be read again, that is the object that was there, or the one found since to have this
    /// object at its other end.
    final func presumedContent(_ slot: Int) -> PropertyContent? {
        knownContent(slot) ?? edits?.claims[slot].map { .reference($0) }
    }

    /// Makes a relationship that is known to lead to `end` be read again.
    private final func forgetEnd(_ slot: Int, leadingTo end: ObjectReference) {
        if knownContent(slot)?.reference == end { forgetEnd(slot) }
    }

    /// Makes a relationship be read again; what was changed here stays, and may be in conflict with what is
    /// there now.
    final func forgetEnd(_ slot: Int) {
        if layout.relationships[slot]?.isToMany ?? false {
            guard edits?.toMany[slot] != nil else { return }
            return withMutation(of: [slot]) { edits?.toMany[slot]?.unload() }
        }
        guard batch != nil, !status.contains(.inserted) else { return }
        withMutation(of: [slot]) {
            let edits = makeEdits()
            if edits.changed[slot] != nil { edits.noteAncestor(knownContent(slot), slot, version: version) }
            edits.claims[slot] = presumedContent(slot)?.reference
            edits.moved[slot] = nil
            edits.stale.insert(slot)
        }
    }

    /// Makes objects that still lead to this one, though a save moves it away from them, read that
    /// relationship again; returns those ends.
    ///
    /// A local change leaves no such object, but what others saved under it shows at their ends, too.
    final func leaveFormerEnds() -> [FollowingEnd] {
        var following: [FollowingEnd] = []
        for (slot, content) in edits?.changed.entries ?? [] {
            guard let inverse = layout.relationships[slot]?.inverseSlot,
                let former = presumedContent(slot)?.reference, former != content.reference,
                let object = registry.object(former), !object.isLost,
                object.isUnchangedEnd(inverse, of: reference)
            else { continue }
            object.forgetEnd(inverse)
            following.append(FollowingEnd(reference: former, slot: inverse))
        }
        return following
    }

    /// Whether a relationship is known to lead to `end`, and was not changed here.
    private final func isUnchangedEnd(_ slot: Int, of end: ObjectReference) -> Bool {
        if layout.relationships[slot]?.isToMany ?? false {
            return edits?.toMany[slot]?.contains(end) ?? false
        }
        return edits?.changed[slot] == nil && knownContent(slot)?.reference == end
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
