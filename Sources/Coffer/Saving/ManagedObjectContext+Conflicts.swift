import CofferModel

extension ManagedObjectContext {
    /// Decides what merging found to be in conflict, by the merge policy.
    ///
    /// - Throws: `CofferError.conflicts` if the policy resolves no conflict.
    func resolveKnownConflicts() throws(CofferError) {
        guard updated.contains(where: { $0.isInConflict }) else { return }
        let objects = updated.lazy.filter { $0.isInConflict }.sorted { $0.reference.key < $1.reference.key }
        switch mergePolicy.rule.decide(.contested) {
        case .conflict: throw .conflicts(objects.map(\.conflict))
        case .stored:
            for object in objects {
                for slot in object.losingSlots(under: mergePolicy.rule) { object.discardChange(slot) }
                finish(object)
            }
        case .wanted:
            for object in objects { object.edits?.forgetAncestors() }
        }
    }

    private func finish(_ object: ManagedObject) {
        if object.edits?.isDeletedInStore ?? false { return dropDeleted(object) }
        object.edits?.forgetAncestors()
        dropIfUnchanged(object)
    }

    /// Takes a stored object off the list of changed ones, once its last change was taken back.
    func dropIfUnchanged(_ object: ManagedObject) {
        guard object.status.isDisjoint(with: [.inserted, .deleted, .gone]),
            !(object.edits?.hasChanges ?? false), !(object.edits?.isDeletedInStore ?? false)
        else { return }
        acceptChanges(object)
    }
}

extension ManagedObject {
    /// Changed properties under which the store changed too, to something else.
    final var conflictingSlots: [Int] {
        guard let edits, edits.hasAncestors else { return [] }
        let slots = edits.ancestors.slots + edits.unreadAncestors.sorted()
        return slots.filter { situation(of: $0, edits) == .contested }
    }

    /// Changed properties that the store keeps, the object being in conflict.
    fileprivate final func losingSlots(under rule: MergeRule) -> [Int] {
        guard let edits else { return [] }
        return edits.changed.slots.filter { slot in
            rule.decide(situation(of: slot, edits), in: .contested) == .stored
        }
    }

    /// Whether the store changed a property since it was changed here.
    private final func situation(of slot: Int, _ edits: ObjectEdits) -> MergeSituation {
        guard let wanted = edits.changed[slot],
            edits.ancestors.contains(slot) || edits.unreadAncestors.contains(slot)
        else { return .unchanged }
        return MergeSituation(old: edits.ancestors[slot], stored: knownContent(slot), wanted: wanted)
    }

    /// Changed properties under which the store changed, to what is not known.
    final var unreadAncestors: [Int] {
        guard let edits, edits.hasAncestors else { return [] }
        return (edits.ancestors.slots + edits.unreadAncestors).filter { !knows($0) }
    }

    /// Properties that were changed though what they were is not known.
    final var unreadChanges: [Int] {
        edits?.changed.slots.filter { !entity.properties[$0].isTransient && !knows($0) } ?? []
    }

    /// Whether a save would undo what was saved elsewhere since the change was made.
    final var isInConflict: Bool { (edits?.isDeletedInStore ?? false) || !conflictingSlots.isEmpty }

    /// The conflict, as errors tell it.
    final var conflict: MergeConflict {
        let isDeleted = edits?.isDeletedInStore ?? false
        let stored = values(layout.storedSlots.compactMap { slot in knownContent(slot).map { (slot, $0) } })
        let hasAncestors = edits?.hasAncestors ?? false
        return MergeConflict(
            objectID: objectID, snapshotVersion: hasAncestors ? edits?.ancestorVersion ?? version : version,
            storedVersion: isDeleted ? nil : version,
            snapshot: snapshotValues, stored: isDeleted ? nil : stored, wanted: changedValues)
    }

    /// Takes a change of property `slot` back, and what followed from it at other ends.
    ///
    /// Of pairs, those that hang together are taken back together, so that no object is left with half of
    /// one.
    final func discardChange(_ slot: Int) {
        guard let edits, let changed = edits.changed[slot] else { return }
        let (stored, former) = (knownContent(slot)?.reference, edits.ancestors[slot]?.reference)
        withMutation(of: [slot]) { edits.changed[slot] = nil }
        registry.changeLog?.touch(self)
        var following = [FollowingEnd(reference: reference, slot: slot)]
        defer { registry.context?.notifyChildren(forgetting: following) }
        guard let relationship = layout.relationships[slot], let inverse = relationship.inverseSlot else {
            return
        }
        if relationship.isInverseToMany {
            for end in Set([changed.reference, stored, former].compactMap(\.self)) {
                registry.object(end)?.forgetMove(of: reference, inverse, isMember: end == stored)
                following.append(FollowingEnd(reference: end, slot: inverse))
            }
            return
        }
        for end in [changed.reference, stored].compactMap(\.self) {
            guard let partner = registry.object(end) else { continue }
            partner.discardChange(inverse)
            registry.context?.dropIfUnchanged(partner)
        }
    }

    /// Forgets that `member` entered or left the to-many relationship `slot`, and what was read there, if
    /// that says otherwise than the store.
    private final func forgetMove(of member: ObjectReference, _ slot: Int, isMember: Bool) {
        guard edits?.toMany[slot] != nil else { return }
        editMembers(slot) { content in
            content.forgetMove(of: member)
            if let known = content.contains(member), known != isMember { content.unload() }
        }
    }
}
