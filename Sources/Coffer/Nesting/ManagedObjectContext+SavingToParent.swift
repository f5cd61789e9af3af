import CofferModel
import CofferWire

extension ManagedObjectContext {
    /// Makes what changed here true in the parent, all of it or nothing.
    func save(to parent: ParentLink) throws(CofferError) {
        followNames()
        let (new, changed, gone) = (Array(inserted), Array(updated), Array(deleted))
        let save = try childSave()
        statistics.saves += 1
        let saved = try parent.run { parent in
            outcome { () throws(CofferError) in try parent.accept(save) }
        }
        followNames()
        let insertedIDs = new.map(\.objectID)
        var change = ParentChange(stamp: nextStamp())
        if hasChildren {
            change.inserted = new.map(\.reference)
            change.updates = (new + changed).map { $0.savedChange() }
        }
        try acceptInParent(new)
        for object in changed { change.forget(object.leaveFormerEnds()) }
        for object in changed { acceptChanges(object) }
        let named = Set(saved.kept.map { tree.resolve($0) })
        let kept = named.isEmpty ? [] : gone.filter { named.contains($0.reference) }
        let lost = gone.filter { !named.contains($0.reference) }
        let deletedIDs = lost.map(\.objectID)
        change.deleted = lost.map(\.reference)
        for object in lost { markGone(object) }
        takeBackDeletion(of: kept)
        for object in kept { refresh(object, mergeChanges: false) }
        followCorrections(saved, &change)
        forgetEnds(of: Set(change.deleted))
        notifyChildren(change)
        // Those below heard of the deletes when they were made, and forgot what belonged to the objects.
        if !kept.isEmpty { notifyChildren(ParentChange(stamp: nextStamp(), isReload: true)) }
        endSave()
        didAccept(new + changed)
        for object in kept { object.awake(fromSnapshotEvents: .rollback) }
        hub.post(
            .didSave(
                inserted: insertedIDs, updated: (changed + kept).map(\.objectID), deleted: deletedIDs,
                number: 0, token: HistoryToken()))
    }

    /// Takes in what became of a save in the parent, if that is not what was asked for.
    private func followCorrections(_ saved: ChildSaved, _ change: inout ParentChange) {
        for (reference, slot, content) in saved.corrections {
            let (reference, content) = (tree.resolve(reference), content.renamed { tree.resolve($0) })
            guard let object = registry.object(reference) else { continue }
            change.forget(object.follow(slot, from: object.knownContent(slot), to: content))
            change.updates.append(ParentChange.Update(reference: reference, contents: [(slot, content)]))
            object.withMutation(of: [slot]) { object.makeEdits().moved[slot] = content }
        }
        let stale = saved.stale.map { FollowingEnd(reference: tree.resolve($0.reference), slot: $0.slot) }
        change.forget(stale)
        for end in stale { registry.object(end.reference)?.forgetEnd(end.slot) }
        let gone = saved.gone.map { tree.resolve($0) }
        change.deleted += gone
        for reference in gone { registry.object(reference).map { dropDeleted($0) } }
    }

    /// Makes rows of new objects, which the parent has from now on.
    private func acceptInParent(_ objects: [ManagedObject]) throws(CofferError) {
        let answer = try rows(of: objects, .whole)
        var late: [ManagedObject: SaveInProgress.Sent] = [:]
        for object in objects where !object.status.contains(.gone) {
            inserted.remove(object)
            if !reserved.isEmpty { reserved.remove(object.reference) }
            late[object] = registry.saveInProgress?.sent(of: object)
            acceptChanges(object)
            object.status.remove(.inserted)
        }
        // The objects become full and not faults, so that no fetch is announced.
        for group in answer.groups {
            let batch = try registry.snapshots(group.rows, .whole)
            for (row, key) in group.rows.primaryKeys.enumerated() {
                let reference = registry.reference(
                    store: group.store, entity: group.rows.entity, key: key)
                guard let object = registry.object(reference) else { continue }
                object.batch = batch
                object.row = Int32(truncatingIfNeeded: row)
                object.version = 0
                // The row has what was changed since it was sent, too.
                object.edits?.moved.keep { late[object]?.isLate($0) ?? false }
            }
            for (row, slot, content) in group.extras {
                let reference = registry.reference(
                    store: group.store, entity: group.rows.entity, key: group.rows.primaryKeys[row])
                guard let object = registry.object(reference), !(late[object]?.isLate(slot) ?? false) else {
                    continue
                }
                object.makeEdits().moved[slot] = content
            }
        }
        for object in objects { object.dropIdleEdits() }
    }

    private func childSave() throws(CofferError) -> ChildSave {
        var save = ChildSave(
            rule: mergePolicy.rule, origin: ObjectIdentifier(mailbox),
            stores: registry.stores.map(\.handle))
        for object in inserted.sorted(by: isInsertedBefore) {
            save.inserts.append(
                ChildSave.Insert(
                    reference: object.reference, insertionKey: insertionKey(of: object),
                    contents: object.edits?.changed.entries ?? [],
                    untouched: object.edits?.untouched ?? [],
                    assignedStore: object.edits?.assignedStore))
            addMembers(of: object, to: &save)
        }
        for object in updated.sorted(by: { $0.reference.key < $1.reference.key }) {
            guard let edits = object.edits else { continue }
            var update = ChildSave.Update(reference: object.reference, changes: [], others: [])
            for (slot, content) in edits.changed.entries {
                let old = edits.ancestors[slot] ?? object.knownContent(slot) ?? .null
                update.changes.append((slot, content, old))
            }
            if save.rule.writesWholeObjects {
                update.others = object.knownContents { edits.changed[$0] == nil }
            }
            save.updates.append(update)
            addMembers(of: object, to: &save)
        }
        for object in deleted.sorted(by: { $0.reference.key < $1.reference.key }) {
            save.deletes.append(
                ChildSave.Delete(
                    reference: object.reference, known: object.knownContents { _ in true },
                    detached: object.detachedSlots))
            addMembers(of: object, to: &save)
        }
        return save
    }

    private func addMembers(of object: ManagedObject, to save: inout ChildSave) {
        for (slot, content) in object.edits?.toMany ?? [:] where content.isChanged {
            guard let relationship = object.layout.relationships[slot] else { continue }
            let moves =
                relationship.isOrdered && !object.isLost ? content.savedMoves(knowsEntry: false) : []
            guard relationship.sendsMembers || !moves.isEmpty else { continue }
            func isLiving(_ reference: ObjectReference) -> Bool {
                !(registry.object(reference)?.isLost ?? false)
            }
            let isSent = relationship.sendsMembers
            save.members.append(
                ChildSave.Members(
                    owner: object.reference, slot: slot,
                    added: isSent && !object.isLost ? content.added.filter(isLiving) : [],
                    removed: isSent ? object.toldLeavers(content, of: relationship) : [], moves: moves))
        }
    }
}

extension ManagedObject {
    /// What is known of the store's values, without reading.
    final func knownContents(_ isWanted: (Int) -> Bool) -> [(slot: Int, content: PropertyContent)] {
        layout.storedSlots.compactMap { slot in
            isWanted(slot) ? knownContent(slot).map { (slot, $0) } : nil
        }
    }
}
