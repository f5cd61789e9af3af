import CofferModel

extension ManagedObjectContext {
    /// Decides what merging found to be in conflict, by the merge policy.
    ///
    /// - Throws: `CofferError.conflicts` where the policy is to let nobody win.
    func settleKnownConflicts() throws(CofferError) {
        let objects = updated.lazy.filter { $0.isInConflict }.sorted { $0.reference.key < $1.reference.key }
        guard !objects.isEmpty else { return }
        switch mergePolicy {
        case .error, .custom: throw .conflicts(objects.map(\.conflict))
        case .mergeByPropertyStoreTrump:
            for object in objects {
                for slot in object.conflictingSlots { object.discardChange(slot) }
                finish(object)
            }
        case .rollback:
            for object in objects {
                for slot in object.edits?.changed.slots ?? [] { object.discardChange(slot) }
                finish(object)
            }
        case .mergeByPropertyObjectTrump, .overwrite:
            for object in objects { object.edits?.forgetAncestors() }
        }
    }

    private func finish(_ object: ManagedObject) {
        if object.edits?.isDeletedInStore ?? false { return markGone(object) }
        object.edits?.forgetAncestors()
        if !(object.edits?.hasChanges ?? false) { settleChanges(object) }
    }
}

extension ManagedObject {
    /// Changed properties under which the store changed too, to something else.
    final var conflictingSlots: [Int] {
        guard let edits, edits.hasAncestors else { return [] }
        let slots = edits.ancestors.slots + edits.unreadAncestors.sorted()
        return slots.filter { slot in
            guard let wanted = edits.changed[slot] else { return false }
            let stored = knownContent(slot)
            return stored != wanted && (stored == nil || stored != edits.ancestors[slot])
        }
    }

    /// Changed properties under which the store changed, to what is not known.
    final var unreadAncestors: [Int] {
        guard let edits, edits.hasAncestors else { return [] }
        return (edits.ancestors.slots + edits.unreadAncestors).filter { !knows($0) }
    }

    /// Properties that were changed though nobody knew what they were.
    final var unreadChanges: [Int] {
        edits?.changed.slots.filter { !entity.properties[$0].isTransient && !knows($0) } ?? []
    }

    /// Whether a save would undo what somebody else saved since the change was made.
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

    /// Takes a change of property `slot` back, and what followed from it at the other end.
    final func discardChange(_ slot: Int) {
        guard let edits, let changed = edits.changed[slot] else { return }
        if let relationship = layout.relationships[slot], let inverse = relationship.inverseSlot,
            relationship.isInverseToMany, let context
        {
            if let end = changed.reference {
                context.object(end).editMembers(inverse) { $0.remove(reference) }
            }
            if let end = knownContent(slot)?.reference {
                context.object(end).editMembers(inverse) { $0.insert(reference) }
            }
        }
        edits.changed[slot] = nil
    }
}
