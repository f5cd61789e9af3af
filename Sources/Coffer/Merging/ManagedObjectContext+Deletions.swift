import CofferModel

extension ManagedObjectContext {
    /// Follows that the store no longer has some objects; local changes stay, and conflict with that at the
    /// next save.
    ///
    /// That such an object is at the other end of a local change is not a reason to keep it: the change no
    /// longer leads to it, as after a delete rule.
    func followDeletion(of references: [ObjectReference]) {
        var gone: Set<ObjectReference> = []
        for reference in references {
            guard let object = registry.object(reference) else {
                gone.insert(reference)
                continue
            }
            // Under a key that it got in advance: the store cannot have it.
            if object.isInserted { continue }
            if object.isUpdated, object.hasChangesOfItsOwn {
                object.makeEdits().isDeletedInStore = true
            } else {
                markGone(object)
                gone.insert(reference)
            }
        }
        releaseEnds(gone)
        // A store tells what its delete rules did to others; a parent does so when it has saved.
        if link != nil { forgetEnds(of: Set(references)) }
    }

    /// Lets go of an object that the store no longer has, and of all references to it.
    func dropDeleted(_ object: ManagedObject) {
        let reference = object.reference
        markGone(object)
        releaseEnds([reference])
    }

    /// Lets no change that is not saved refer to objects that are gone, and no undo bring such a reference
    /// back.
    func releaseEnds(_ gone: Set<ObjectReference>) {
        if gone.isEmpty { return }
        undoManager?.forget(gone)
        for object in inserted.union(updated).union(deleted) { object.releaseEnds(gone) }
    }

    /// Makes relationships that lead to objects which the parent no longer has be read again.
    func forgetEnds(of gone: Set<ObjectReference>) {
        if gone.isEmpty { return }
        let roots = Set(gone.map(\.root))
        for object in registry.objects {
            for case let relationship? in object.layout.relationships
            where roots.contains(UInt16(relationship.destination.rootIndex)) {
                let slot = relationship.slot
                let isLost =
                    relationship.isToMany
                    ? object.edits?.toMany[slot]?.stored?.contains(where: gone.contains) ?? false
                    : object.knownContent(slot)?.reference.map(gone.contains) ?? false
                if isLost { object.forgetEnd(slot) }
            }
        }
    }

    /// Reads whether all objects are there that unsaved changes refer to, after a change of unknown extent.
    func readDoubtedEnds() throws(CofferError) {
        guard doubtsEnds else { return }
        var ends: Set<ObjectReference> = []
        for object in inserted.union(updated) {
            ends.formUnion(
                object.changedEnds.filter { end in
                    !end.isUnsaved && !(registry.object(end)?.isInserted ?? false)
                })
        }
        for (_, ends) in Dictionary(grouping: ends, by: \.table) {
            let objects = ends.map { object($0) }
            for start in stride(from: 0, to: objects.count, by: Limits.faultBatch) {
                try read(Array(objects[start..<min(start + Limits.faultBatch, objects.count)]))
            }
        }
        doubtsEnds = false
    }
}

extension ManagedObject {
    /// Whether something was changed that is not merely the other end of a relationship.
    final var hasChangesOfItsOwn: Bool {
        edits?.changed.slots.contains { !(layout.relationships[$0]?.isPair ?? false) } ?? false
    }

    /// The objects that its changes refer to.
    fileprivate final var changedEnds: [ObjectReference] {
        guard let edits else { return [] }
        return edits.changed.entries.compactMap(\.content.reference) + edits.toMany.values.flatMap(\.added)
    }

    /// Lets changes refer to none of the objects that are gone.
    fileprivate final func releaseEnds(_ gone: Set<ObjectReference>) {
        for (slot, content) in edits?.changed.entries ?? [] {
            if let end = content.reference, gone.contains(end) { recordNoEnd(slot) }
        }
        for (slot, content) in edits?.toMany ?? [:] {
            let left = content.added.filter(gone.contains) + content.removed.intersection(gone)
            let isStored = content.stored?.contains(where: gone.contains) ?? false
            if left.isEmpty, !isStored { continue }
            editMembers(slot) { content in
                for member in left { content.forgetMove(of: member) }
                if isStored { content.unload() }
            }
        }
    }
}
