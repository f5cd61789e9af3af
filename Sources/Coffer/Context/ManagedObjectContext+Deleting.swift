import CofferModel
import CofferWire

extension ManagedObjectContext {
    /// Deletes an object with the next save; one that is not saved is gone at once.
    ///
    /// Delete rules are followed at once for the objects that the context has, and by the store for the
    /// rest when it is saved, when a rule may also deny it. Until then the object keeps its values. A fault
    /// fires first, for its relationships; with an undo manager the context reads their members too, lest
    /// they stay behind when the object comes back.
    public func delete(_ object: ManagedObject) {
        precondition(object.registry === registry, "the object belongs to another context")
        delete(object, told: [])
    }

    /// Deletes an object; those that were `told` of it in a context below are not told again.
    func delete(_ object: ManagedObject, told: Set<ManagedObject>) {
        var deletions: [UndoOperation] = []
        // Objects that a rule deletes too come next, before others that wait; chains may be long, so this is
        // a loop and not a recursion.
        var waiting = [object]
        while let next = waiting.popLast() {
            delete(next, told: told, waiting: &waiting, deletions: &deletions)
        }
        // Undone from the last: the object that was deleted first comes back first, for the objects that
        // belong to it.
        for deletion in deletions.reversed() { note(deletion) }
    }

    private func delete(
        _ object: ManagedObject, told: Set<ManagedObject>, waiting: inout [ManagedObject],
        deletions: inout [UndoOperation]
    ) {
        guard !object.isLost else { return }
        // Undo gives all values back, of which the store then has none any more.
        let extent = undoManager == nil ? RowExtent.withoutExternal : .whole
        if object.isFault || (extent == .whole && object.lacks(.whole)) {
            if !object.fire(extent) && object.isLost { return }
        }
        if !told.contains(object) { object.prepareForDeletion() }
        guard !object.isLost else { return }
        let ends = undoManager?.isRecording ?? false ? ends(of: object) : []
        guard !object.isLost else { return }
        defer { withExtendedLifetime(ends) {} }
        object.status.insert(.deleted)
        registry.changeLog?.touch(object)
        let was = undoManager == nil ? nil : object.deletedContents()
        var taken: [ManagedObject] = []
        for case let relationship? in object.layout.relationships {
            follow(relationship, of: object, taking: &taken)
        }
        waiting += taken.reversed()
        if let was { deletions.append(.deletion(object, was)) }
        // What is on its way to a store is deleted there by the next save.
        if object.status.contains(.inserted), !(registry.saveInProgress?.noteOrphan(object) ?? false) {
            return giveUp(object)
        }
        updated.remove(object)
        object.status.remove(.updated)
        deleted.insert(object)
    }

    /// Leaves an object that was never saved; those below may have read it, and no save will tell them.
    func giveUp(_ object: ManagedObject) {
        var change = ParentChange(stamp: nextStamp())
        change.deleted = [object.reference]
        markGone(object)
        notifyChildren(change)
    }

    /// All objects that the delete rules touch when an object is deleted, so that the context has them.
    private func ends(of object: ManagedObject) -> [ManagedObject] {
        object.layout.relationships.compactMap(\.self).flatMap { relationship in
            switch relationship.deleteRule {
            case .noAction, .deny: return [ManagedObject]()
            case .nullify, .cascade: break
            }
            guard relationship.isToMany else {
                // If the rule only nullifies, the object's own row already names the other end.
                let end = relationship.deleteRule == .cascade ? object.content(relationship.slot) : .null
                return end.reference.map { [self.object($0)] } ?? []
            }
            let members = object.memberReferences(relationship.slot) ?? []
            return objects(members, of: object.edits?.toMany[relationship.slot]?.faults)
        }
    }

    /// Follows the delete rule of a relationship for the objects at its other end that the context has.
    ///
    /// Those of a cascade are `taken` along, and still to be deleted.
    private func follow(
        _ relationship: RelationshipLayout, of object: ManagedObject, taking taken: inout [ManagedObject]
    ) {
        switch relationship.deleteRule {
        case .noAction, .deny: return
        case .nullify:
            guard let inverse = relationship.inverseSlot else { return }
            for end in registeredEnds(relationship, of: object) {
                end.leave(inverse, object, isToMany: relationship.isInverseToMany)
            }
        case .cascade: taken += registeredEnds(relationship, of: object)
        }
    }

    /// The objects at the other end that the context has, found without reading.
    private func registeredEnds(_ relationship: RelationshipLayout, of object: ManagedObject)
        -> [ManagedObject]
    {
        guard relationship.isToMany else {
            let end = object.content(relationship.slot).reference.flatMap { registry.object($0) }
            return end.map { $0.isLost ? [] : [$0] } ?? []
        }
        if let members = object.edits?.toMany[relationship.slot]?.members {
            return members.compactMap { registry.object($0) }.filter { !$0.isLost }
        }
        guard let inverse = relationship.inverseSlot else { return [] }
        let root = relationship.destination.rootIndex
        var candidates: [ManagedObject]
        if object.reference.isUnsaved && link != nil {
            candidates = registry.objects(root: root)
        } else {
            candidates = registry.objects(store: ObjectReference.unsaved, root: root)
            if !object.reference.isUnsaved {
                candidates += registry.objects(store: object.reference.store, root: root)
            }
        }
        return candidates.filter { candidate in
            guard !candidate.isLost, candidate.entity.isKind(of: relationship.destination) else {
                return false
            }
            if relationship.isInverseToMany {
                return candidate.edits?.toMany[inverse]?.members?.contains(object.reference) ?? false
            }
            let end = candidate.edits?.changed[inverse] ?? candidate.knownContent(inverse)
            return end?.reference == object.reference
        }
    }
}

extension ManagedObjectContext {
    /// Takes all changes back: what was inserted is gone, what was changed or deleted is as it was read.
    public func rollback() {
        notifyChildrenOfRollback()
        undoManager?.removeAllActions()
        for object in inserted { markGone(object) }
        reserved.removeAll()
        for object in updated.union(deleted) {
            object.status.remove([.deleted, .updated])
            revert(object)
        }
        updated = []
        deleted = []
    }

    private func notifyChildrenOfRollback() {
        guard hasChildren else { return }
        var change = ParentChange(stamp: nextStamp())
        change.deleted = inserted.map(\.reference)
        for object in updated.union(deleted) {
            change.updates.append(
                ParentChange.Update(
                    reference: object.reference,
                    contents: object.entity.properties.indices.map { ($0, nil) }))
        }
        // Those below may have read what is left without the deleted ones; with a reload they forget what
        // they were told before.
        if !deleted.isEmpty { notifyChildren(ParentChange(stamp: nextStamp(), isReload: true)) }
        notifyChildren(change)
    }

    private func revert(_ object: ManagedObject) {
        let (hadEdits, isGone) = (object.edits != nil, object.edits?.isDeletedInStore ?? false)
        revertChanges(of: object)
        if isGone { dropDeleted(object) }
        if hadEdits && !object.isLost { object.awake(fromSnapshotEvents: .rollback) }
    }

    /// Takes all changes of an object's values and relationships back.
    func revertChanges(of object: ManagedObject) {
        registry.changeLog?.touch(object)
        registry.saveInProgress?.willRevert(object)
        guard let edits = object.edits else { return }
        object.withMutation(of: edits.changed.slots + edits.toMany.keys) {
            edits.changed.removeAll()
            edits.forgetAncestors()
            for slot in edits.toMany.keys { edits.toMany[slot]?.revert() }
        }
        object.dropIdleEdits()
    }

    /// Forgets all objects and changes: objects that the application still holds are faults that cannot be
    /// read, of no context.
    public func reset() {
        for object in registry.objects { object.status.insert(.leftBehind) }
        forgetAll()
    }

    /// Forgets all objects and changes, for a reset or because their file no longer exists.
    func forgetAll() {
        let objects = registry.objects
        for object in objects { markGone(object) }
        inserted = []
        updated = []
        deleted = []
        reserved.removeAll()
        registry.forgetReadAhead()
        undoManager?.removeAllActions()
        mailbox.sleep()
        let unmerged = unmergedEvents.takeAll() + mailbox.take()
        if arrivals.isWatching { for event in unmerged { noteUnmerged(event) } }
        registry.changeLog?.noteReload()
        sendReleases()
        notifyChildren(ParentChange(stamp: nextStamp(), isReload: true))
        for event in unmerged { notifyUnmerged(event) }
    }

    /// Tells what happened to the stores and to the connection: that is not forgotten with the objects.
    private func notifyUnmerged(_ event: CoordinatorEvent) {
        switch event {
        case .storesDidChange(_, let moved, _):
            if let moved { storesDidMove(moved) } else { storesDidChange() }
        case .storeDidReturn(let place): storesDidReturn([place])
        case .storesWillChange(let notice):
            storesWillChange()
            withExtendedLifetime(notice) {}
        case .disconnected: hub.post(.disconnected)
        case .reconnected: hub.post(.reconnected)
        case .transaction, .reload, .bookmark: break
        }
    }

    /// Notes what will never be merged: answers that are on their way may not know of it.
    private func noteUnmerged(_ event: CoordinatorEvent) {
        switch event {
        case .transaction(let transaction, let handle, _):
            if let store = registry.storeIndex(handle: handle) {
                arrivals.noteAll(transaction.number, of: store)
            }
        case .reload(let handle, let number):
            if let store = registry.storeIndex(handle: handle) { arrivals.noteAll(number, of: store) }
        case .bookmark, .storesWillChange, .storesDidChange, .storeDidReturn, .disconnected,
            .reconnected:
            break
        }
    }

    /// Makes an object a fault, so that its values are read again when they are asked for.
    ///
    /// With `mergeChanges` its local changes stay, over whatever the store has by then, and a conflict that
    /// merging found is taken as seen; else they are lost.
    public func refresh(_ object: ManagedObject, mergeChanges: Bool) {
        guard object.registry === registry, !object.status.contains(.gone), !object.isInserted else { return }
        if !mergeChanges, object.edits?.isDeletedInStore ?? false { return dropDeleted(object) }
        let hadValues = object.batch != nil
        if hadValues { object.willTurnIntoFault() }
        object.withMutation(of: Array(object.entity.properties.indices)) {
            forgetValues(of: object, mergeChanges: mergeChanges)
        }
        if hadValues { object.didTurnIntoFault() }
    }

    private func forgetValues(of object: ManagedObject, mergeChanges: Bool) {
        object.faults = object.batch?.group(in: registry, store: object.reference.store) ?? object.faults
        object.batch = nil
        object.version = 0
        guard let edits = object.edits else { return }
        edits.moved.removeAll()
        edits.fetched = [:]
        edits.stale = []
        edits.claims = [:]
        edits.forgetAncestors()
        for slot in edits.toMany.keys { edits.toMany[slot]?.unload() }
        if !mergeChanges {
            registry.changeLog?.touch(object)
            registry.saveInProgress?.willRevert(object)
            edits.changed.removeAll()
            edits.toMany = [:]
            edits.isDeletedInStore = false
            updated.remove(object)
            object.status.remove(.updated)
        }
        edits.toMany = edits.toMany.filter { $0.value.isChanged }
        object.dropIdleEdits()
    }

    /// Makes all objects without changes faults, which are read again together.
    public func refreshAllObjects() {
        let stale = registry.objects.filter { !$0.hasChanges && $0.mayBeStale }
        let objects = stale.filter { !$0.isFault }
        for object in stale { refresh(object, mergeChanges: true) }
        for objects in Dictionary(grouping: objects, by: \.reference.table).values {
            let group = FaultGroup(objects.map(\.reference).sorted { $0.key < $1.key })
            for object in objects { object.faults = group }
        }
    }
}
