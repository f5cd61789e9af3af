import CofferModel
import CofferWire

extension ManagedObjectContext {
    /// Takes in what a store made of a save; says what is to be told of it.
    func accept(_ save: PreparedSave, _ saved: SavedMessage) throws(CofferError) -> AcceptedSave {
        guard saved.firstKeys.count == save.inserted.count else {
            throw .protocolViolation("coffer.v1.Saved.first_keys: one for each insert group is needed")
        }
        registry.forgetReadAhead()
        lastSaves[save.store] = saved.number
        if arrivals.isWatching { arrivals.noteAll(saved.number, of: save.store) }
        var carried: [CarriedChanges] = []
        // Contexts below may have read new objects before they were changed once more.
        let insertions = hasChildren ? save.inserted.joined().map { ($0, $0.savedChange()) } : []
        let names = renameInserted(save, as: saved, carrying: &carried)
        try acceptInserted(save, as: saved, names: names)
        let all =
            save.inserted.isEmpty ? [] : save.inserted.flatMap(\.self).filter { !$0.status.contains(.gone) }
        let isMerged = mergedObjects(save, saved)
        let related = save.related.filter { !($0.edits?.isDeletedInStore ?? false) }
        let changed = related.isEmpty ? save.updated : save.updated + related
        var change = ParentChange(stamp: nextStamp())
        for (object, insertion) in insertions where !object.isLost {
            change.updates.append(insertion.renamed { names[$0] ?? $0 })
        }
        if hasChildren { change.updates += changed.map { $0.savedChange().renamed { names[$0] ?? $0 } } }
        let refreshed = saved.refreshedNames
        for object in save.updated where refreshed.isEmpty || !refreshed.contains(object.storedName) {
            object.version &+= 1
        }
        if save.request.updates.contains(where: \.changesEnds) { leaveFormerEnds(save.updated, &change) }
        for object in changed { acceptChanges(object, names) }
        // The store does not refuse a change that it need not keep, of an object that it no longer has.
        for object in save.related where object.edits?.isDeletedInStore ?? false { dropDeleted(object) }
        let mayKeep = !refreshed.isEmpty && save.request.mergePolicy.mayKeepDeleted
        let kept = mayKeep ? save.deleted.filter { refreshed.contains($0.storedName) } : []
        let gone = kept.isEmpty ? save.deleted : Array(Set(save.deleted).subtracting(kept))
        change.deleted = gone.map(\.reference) + alsoDeleted(saved, save.store)
        let deletedIDs = hub.isHeard ? change.deleted.map { registry.id($0) } : []
        for object in gone { markGone(object) }
        if !gone.isEmpty { forgetMembers(gone, in: saved.touched, store: save.store, &change) }
        if !kept.isEmpty { takeBackDeletion(of: kept) }
        if !saved.touched.isEmpty {
            adoptVersions(of: saved.touched, store: save.store)
            forgetTakenMembers(of: save, touched: saved.touched, telling: &change)
        }
        if !saved.merged.isEmpty { forgetMembers(all + changed) }
        for rows in saved.derived { try takeDerived(rows, store: save.store, &change) }
        for rows in saved.refreshed { try adoptRefreshed(rows, store: save.store, &change) }
        undoManager?.rename { names[$0] ?? $0 }
        if !(registry.saveInProgress?.isUndisturbed ?? true) { rename(names) }
        for changes in carried { carry(changes, names) }
        notifyChildren(names: names)
        notifyChildren(change)
        // Those below heard of the deletes when they were made, and forgot what belonged to the objects.
        if !kept.isEmpty { notifyChildren(ParentChange(stamp: nextStamp(), isReload: true)) }
        var settled = AcceptedSave(saved: all.isEmpty ? changed : all + changed, kept: kept)
        if hub.isHeard {
            settled.notification = .didSave(
                inserted: all.filter { !isMerged.contains($0) }.map(\.objectID),
                updated: (changed + kept + isMerged.subtracting(changed)).map(\.objectID),
                deleted: deletedIDs, number: saved.number,
                token: HistoryToken(numbers: [registry.stores[Int(save.store)].uuid: saved.number]))
        }
        return settled
    }

    /// Gives new objects their permanent keys; says by what key each went before.
    private func renameInserted(
        _ save: PreparedSave, as saved: SavedMessage, carrying carried: inout [CarriedChanges]
    ) -> [ObjectReference: ObjectReference] {
        var names: [ObjectReference: ObjectReference] = [:]
        var count = 0
        for (group, firstKey) in zip(save.inserted, saved.firstKeys) {
            for (place, object) in group.enumerated() {
                let old = object.reference
                let merged = saved.merged[count]
                count += 1
                inserted.remove(object)
                let new = registry.reference(
                    store: save.store, entity: Int(old.leaf), key: merged ?? firstKey + Int64(place))
                if !old.isUnsaved {
                    if merged != nil { noteMerged(old, new) }
                    reserved.remove(old)
                    if new == old { continue }
                }
                if object.status.contains(.gone) {
                    object.reference = new  // A rollback came too late for the store.
                } else if merged != nil, let stored = registry.object(new) {
                    let (late, isDeletion) = (takeLateChanges(of: object), object.status.contains(.deleted))
                    if late != nil || isDeletion {
                        carried.append(
                            CarriedChanges(object: stored, changes: late, isDeletion: isDeletion))
                    }
                    noteMerged(old, new)
                    registry.changeLog?.noteName(old, new)
                    registry.remove(object)
                    object.reference = new
                    markGone(object)
                } else {
                    registry.rename(object, to: new)
                }
                names[old] = new
            }
        }
        return names
    }

    /// Makes rows of what was sent of new objects.
    private func acceptInserted(
        _ save: PreparedSave, as saved: SavedMessage, names: [ObjectReference: ObjectReference]
    ) throws(CofferError) {
        let keys = save.inserted.joined().map(\.reference.key)
        var count = 0
        for (group, message) in zip(save.inserted, save.request.inserts) {
            let columns = message.columns.map { Self.withPermanentKeys($0, keys) }
            let rows = RowBatch(
                rowCount: group.count, entity: message.entity, primaryKeys: group.map(\.reference.key),
                versions: Array(repeating: 1, count: group.count), columns: columns)
            let batch = try registry.snapshots(rows, .whole)
            for (row, object) in group.enumerated() {
                defer { count += 1 }
                if object.status.contains(.gone) { continue }
                if saved.merged[count] != nil {
                    acceptMerged(object, names)
                    continue
                }
                object.batch = batch
                object.row = Int32(truncatingIfNeeded: row)
                object.version = 1
                object.status.remove(.inserted)
                object.status.insert(.held)
                let late = registry.saveInProgress?.sent(of: object)
                object.edits?.changed.keep {
                    object.entity.properties[$0].isTransient || late?.isLate($0) ?? false
                }
                acceptChanges(object, names)
            }
        }
    }

    /// Calls objects by their permanent names in all changes that are not saved.
    private func rename(_ names: [ObjectReference: ObjectReference]) {
        for object in inserted.union(updated).union(deleted) { object.edits?.rename { names[$0] ?? $0 } }
    }

    private static func withPermanentKeys(_ column: Column, _ keys: [Int64]) -> Column {
        guard case .references(let references, let entities) = column.values else { return column }
        var column = column
        column.values = .references(
            keys: references.map { $0 < 0 ? keys[Int(-$0 - 1)] : $0 }, entities: entities)
        return column
    }

    /// Makes an object's changes what the store has; what was changed since they were sent stays a change.
    func acceptChanges(_ object: ManagedObject, _ names: [ObjectReference: ObjectReference] = [:]) {
        let late = registry.saveInProgress?.takeSent(of: object)
        updated.remove(object)
        object.status.remove(.updated)
        if late != nil, object.edits == nil, !object.status.contains(.gone) { _ = object.makeEdits() }
        guard let edits = object.edits else { return }
        // A value that was set there was never sent: the store knows better.
        for slot in object.layout.derivedSlots { edits.changed[slot] = nil }
        edits.accept(late)
        edits.forgetAncestors()
        edits.isDeletedInStore = false
        if !names.isEmpty { edits.rename { names[$0] ?? $0 } }
        if late != nil, edits.hasChanges, !object.isLost {
            object.status.insert(.updated)
            updated.insert(object)
        }
        object.dropIdleEdits()
    }

    /// Follows what the store deleted besides; says which objects.
    private func alsoDeleted(_ saved: SavedMessage, _ store: Int16) -> [ObjectReference] {
        var references: [ObjectReference] = []
        for group in saved.alsoDeleted {
            for key in group.primaryKeys {
                let reference = registry.reference(store: store, entity: group.entity, key: key)
                references.append(reference)
                registry.changeLog?.noteDeletion(reference)
                guard let object = registry.object(reference) else { continue }
                object.leaveEnds()
                markGone(object)
            }
        }
        if !references.isEmpty { releaseEnds(Set(references)) }
        return references
    }

    /// Makes to-many relationships be read again that an object entered after the context had deleted it:
    /// they did not follow that delete.
    private func forgetMembers(
        _ gone: [ManagedObject], in touched: [ChangeGroup], store: Int16, _ change: inout ParentChange
    ) {
        let gone = Set(gone.map(\.reference))
        for group in touched {
            for key in group.primaryKeys {
                let owner = registry.reference(store: store, entity: group.entity, key: key)
                if hasChildren {
                    let contents = group.properties.map { ($0, PropertyContent?.none) }
                    change.updates.append(ParentChange.Update(reference: owner, contents: contents))
                }
                guard let object = registry.object(owner) else { continue }
                for slot in group.properties
                where object.edits?.toMany[slot]?.members?.contains(where: gone.contains) ?? false {
                    object.withMutation(of: [slot]) { object.edits?.toMany[slot]?.unload() }
                }
            }
        }
    }

    /// If others had saved an end of one of `objects`, and this save gives it another, makes the former end
    /// read its relationship again.
    private func leaveFormerEnds(_ objects: [ManagedObject], _ change: inout ParentChange) {
        for object in objects { change.forget(object.leaveFormerEnds()) }
    }

    /// Takes in rows that are not what follows from the request.
    private func adoptRefreshed(_ rows: RowBatch, store: Int16, _ change: inout ParentChange)
        throws(CofferError)
    {
        let batch = try registry.snapshots(rows, .part)
        for row in 0..<rows.rowCount {
            let reference = registry.reference(
                store: store, entity: rows.leafEntity(row), key: rows.primaryKeys[row])
            registry.changeLog?.noteUpdate(reference, [])
            if let object = registry.object(reference) {
                change.forget(object.adopt(batch, row: row, isOfSave: true))
            }
            if hasChildren {
                change.updates.append(
                    ParentChange.Update(
                        reference: reference,
                        contents: registry.layout(Int(reference.leaf)).storedSlots.map { ($0, nil) }))
            }
        }
    }

    /// Takes in what the store computed of objects, those of the save and others.
    private func takeDerived(_ rows: RowBatch, store: Int16, _ change: inout ParentChange) throws(CofferError)
    {
        let batch = try registry.snapshots(rows, .part)
        for row in 0..<rows.rowCount {
            let reference = registry.reference(
                store: store, entity: rows.leafEntity(row), key: rows.primaryKeys[row])
            let layout = registry.layout(Int(reference.leaf))
            let slots = rows.columns.isEmpty ? layout.derivedSlots : rows.columns.map(\.property)
            registry.changeLog?.noteUpdate(reference, slots)
            if let object = registry.object(reference), !object.isFault {
                object.withMutation(of: slots) {
                    _ = object.take(slots, isNew: true) { slot in
                        registry.content(slot, of: batch, row: row, layout, store: store)
                    }
                }
            }
            guard hasChildren else { continue }
            change.updates.append(
                ParentChange.Update(reference: reference, contents: slots.map { ($0, nil) }))
        }
    }
}

extension UpdateGroup {
    /// Whether it says of relationships where they lead.
    fileprivate var changesEnds: Bool {
        columns.contains { if case .references = $0.values { true } else { false } }
    }
}

extension ManagedObject {
    /// What a save changes of the object, as contexts below hear of it.
    final func savedChange() -> ParentChange.Update {
        var update = ParentChange.Update(reference: reference, contents: [])
        for (slot, content) in edits?.changed.entries ?? [] { update.contents.append((slot, content)) }
        for (slot, content) in edits?.toMany ?? [:] where content.isChanged {
            update.contents.append((slot, nil))
        }
        return update
    }
}
