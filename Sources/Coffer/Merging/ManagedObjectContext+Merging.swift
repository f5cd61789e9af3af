import CofferModel
import CofferWire

extension ManagedObjectContext {
    /// Merges what others saved and what else happened to the stores; does no I/O, unless fetched results
    /// controllers have to read.
    ///
    /// Objects take new values over property by property as far as they came along; what did not is read when
    /// it is asked for. A property with a local change keeps it; if the store's value under it changed, the
    /// next save finds a conflict, and the merge policy decides. A local change that refers to an object that
    /// others deleted refers to nothing from then on, as after a delete rule.
    public func mergePendingChanges() {
        // If a hook calls this in the middle of a merge, the rest of that merge is seen when that merge is
        // over; nothing newer may come in between.
        if isMerging { return }
        mailbox.sleep()
        serveChildren()
        if link != nil {
            followNames()
            unmergedChanges.append(mailbox.takeParentChanges())
            while let change = unmergedChanges.next() { merge(change) }
        }
        unmergedEvents.append(mailbox.take())
        while let event = unmergedEvents.next() { merge(event) }
        tellWatchers()
    }

    /// Whether what others saved is merged without being asked for: not while a state is pinned, which does
    /// not contain it.
    var mergesUnasked: Bool { automaticallyMergesChanges && pinned == nil }

    /// Merges what others saved if that happens unasked; a context with a pinned state hears of the stores
    /// and the connection all the same.
    func mergeUnasked() {
        if mergesUnasked { return mergePendingChanges() }
        guard pinned != nil, !isMerging else { return }
        for event in mailbox.takeAllButChanges() { merge(event) }
    }

    func merge(_ event: CoordinatorEvent) {
        switch event {
        case .transaction(let transaction, let store, _):
            if registry.storeIndex(handle: store) == nil { refreshStores() }
            guard let place = registry.storeIndex(handle: store) else { return }
            merge(transaction, store: place)
        case .reload(let store, let number):
            guard let place = registry.storeIndex(handle: store) else { return }
            reload(place, number: number)
        case .storesWillChange(let notice):
            storesWillChange(notice?.transition)
            withExtendedLifetime(notice) {}
        case .storesDidChange(_, let moved, let transition):
            storeTransition = transition
            if let moved { storesDidMove(moved) } else { storesDidChange() }
            storeTransition = nil
        case .storeDidReturn(let place): storesDidReturn([place])
        case .disconnected: hub.post(.disconnected)
        case .reconnected: hub.post(.reconnected)
        case .bookmark: break
        }
    }

    /// Takes something in as a whole; hooks that it calls merge nothing.
    func merging<Failure>(_ body: () throws(Failure) -> Void) throws(Failure) {
        let wasMerging = isMerging
        isMerging = true
        defer { isMerging = wasMerging }
        try body()
    }

    /// Lets the application save into the old stores, through its handlers, which are called before this
    /// returns; if the content follows the account, what they leave unsaved is saved.
    func storesWillChange(_ transition: StoreTransition? = nil) {
        for child in children {
            if let context = child.context { context.storesWillChange(transition) }
        }
        storeTransition = transition
        hub.post(.storesWillChange)
        storeTransition = nil
        guard transition != nil, hasChanges else { return }
        // What cannot be saved is told as lost once the stores did change.
        do throws(CofferError) { try save() } catch { lastFaultError = error }
    }

    /// Forgets everything that was read from the old stores, and what was not saved into them.
    func storesDidChange() {
        tellLostChanges()
        giveUpGeneration()
        forgetAll()
        refreshStores(areExchanged: true)
        endStoresDidChange()
    }

    /// Tells what is lost with stores that go, while its values are there.
    func tellLostChanges() {
        guard hasChanges else { return }
        lossCount += 1
        hub.post(
            .didLoseChanges(
                inserted: insertedObjects.map(\.objectID), updated: updatedObjects.map(\.objectID),
                deleted: deletedObjects.map(\.objectID)))
    }

    /// Goes on with what stands in the places of stores that were removed: their objects went before.
    func storesDidReturn(_ places: Set<Int>) {
        refreshStores(at: places)
        registry.changeLog?.noteReload()
        notifyChildren(ParentChange(stamp: nextStamp(), returnedStores: places))
        hub.post(.storesDidChange)
    }

    /// Tells that there are other stores.
    func endStoresDidChange() {
        notifyChildren(ParentChange(stamp: nextStamp(), isReload: true, areStoresNew: true))
        hub.post(.storesDidChange)
    }

    /// What merging a transaction did, for the notification.
    private struct Outcome {
        var updated: [ManagedObjectID] = []
        var refreshed: [ManagedObjectID] = []
        /// The changes that contexts below hear of, and the objects that were inserted and deleted.
        var change: ParentChange
        /// Whether this context has saved later.
        var isBeforeSave: Bool
    }

    func merge(_ transaction: TransactionMessage, store: Int16) {
        statistics.merges += 1
        let began = ContextTrace.beginning
        defer { traceMerge(of: transaction.number, since: began, store: store) }
        var outcome = Outcome(
            change: ParentChange(stamp: nextStamp()),
            isBeforeSave: transaction.number < lastSaves[store] ?? 0)
        do throws(CofferError) {
            try merging { () throws(CofferError) in
                try takeSuccessors(transaction.successors, of: store)
                for group in transaction.changes { try merge(group, of: store, into: &outcome) }
            }
            if arrivals.isWatching { noteArrival(transaction, store) }
        } catch {
            // What is not to be understood may have changed everything.
            lastFaultError = error
            return reload(store, number: transaction.number)
        }
        notifyChildren(outcome.change)
        hub.post(
            .didMerge(
                inserted: outcome.change.inserted.map { registry.id($0) }, updated: outcome.updated,
                deleted: outcome.change.deleted.map { registry.id($0) }, refreshed: outcome.refreshed))
        hub.post(.remoteChange(store: registry.stores[Int(store)].name, number: transaction.number))
    }

    /// Notes what a transaction changed: answers that are on their way may not know of it.
    private func noteArrival(_ transaction: TransactionMessage, _ store: Int16) {
        for group in transaction.changes {
            let root = UInt16(model.entities[group.entity].rootIndex)
            arrivals.note(transaction.number, of: ObjectReference.Table(store: store, root: root))
        }
    }

    private func merge(_ group: ChangeGroup, of store: Int16, into outcome: inout Outcome) throws(CofferError)
    {
        guard model.entities.indices.contains(group.entity) else {
            throw .protocolViolation("coffer.v1.ChangeGroup.entity: \(group.entity) is not in the model")
        }
        switch group.kind {
        case .insert:
            let references = group.primaryKeys.map {
                registry.reference(store: store, entity: group.entity, key: $0)
            }
            outcome.change.inserted += references
            if let log = registry.changeLog { for new in references { log.noteInsertion(new) } }
        case .update: try mergeUpdates(group, of: store, into: &outcome)
        case .delete: mergeDeletes(group, of: store, into: &outcome)
        }
    }

    private func mergeUpdates(_ group: ChangeGroup, of store: Int16, into outcome: inout Outcome)
        throws(CofferError)
    {
        let rows = RowBatch(
            rowCount: group.primaryKeys.count, entity: group.entity, primaryKeys: group.primaryKeys,
            versions: group.versions, columns: group.columns)
        let batch = try registry.snapshots(rows, .part)
        for (row, key) in group.primaryKeys.enumerated() {
            let reference = registry.reference(store: store, entity: group.entity, key: key)
            registry.forgetReadAhead(reference)
            let known = registry.object(reference)
            registry.changeLog?.noteUpdate(reference, group.properties)
            if !children.isEmpty {
                outcome.change.updates.append(
                    update(
                        reference, object: known, slots: group.properties, from: batch, row: row,
                        isBeforeSave: outcome.isBeforeSave))
            }
            guard let object = known, !object.isInserted, !object.isFault || object.edits != nil else {
                continue
            }
            let isNew = batch.version(row) == 0 || batch.version(row) > object.version
            let needsReading = object.withMutation(of: group.properties) {
                object.take(group.properties, isNew: isNew) { slot in
                    registry.content(slot, of: batch, row: row, object.layout, store: store)
                }
            }
            if isNew { object.adopt(batch.version(row), of: group.properties) }
            guard isNew else { continue }
            outcome.updated.append(object.objectID)
            if needsReading { outcome.refreshed.append(object.objectID) }
        }
    }

    /// What contexts below hear of an update: properties that were changed here keep what they have.
    private func update(
        _ reference: ObjectReference, object: ManagedObject?, slots: [Int], from batch: SnapshotBatch,
        row: Int, isBeforeSave: Bool
    ) -> ParentChange.Update {
        let layout = registry.layout(Int(reference.leaf))
        var update = ParentChange.Update(reference: reference, contents: [])
        // What was read or saved here since is newer, and those below may know that.
        var isNew = !isBeforeSave
        if let object, !object.isFault {
            isNew = batch.version(row) == 0 || batch.version(row) > object.version
        }
        for slot in slots where layout.relationships.indices.contains(slot) {
            if object?.edits?.changed[slot] != nil { continue }
            let isToMany = layout.relationships[slot]?.isToMany ?? false
            let content =
                isToMany || !isNew
                ? nil : registry.content(slot, of: batch, row: row, layout, store: reference.store)
            update.contents.append((slot, content))
        }
        return update
    }

    private func mergeDeletes(_ group: ChangeGroup, of store: Int16, into outcome: inout Outcome) {
        let references = group.primaryKeys.map {
            registry.reference(store: store, entity: group.entity, key: $0)
        }
        for reference in references {
            registry.forgetReadAhead(reference)
            // One that became another lives on under that one's name, by which those below would take it.
            if mergedNames[reference] != nil { continue }
            if registry.object(reference) != nil || !children.isEmpty {
                outcome.change.deleted.append(reference)
            }
            registry.changeLog?.noteDeletion(reference)
        }
        followDeletion(of: references)
    }

    /// Makes faults of all objects of a store that have no changes, and lets the others read what they did
    /// not change.
    private func reload(_ store: Int16, number: UInt64) {
        registry.forgetReadAhead()
        if arrivals.isWatching { arrivals.noteAll(number, of: store) }
        registry.changeLog?.noteReload()
        doubtsEnds = true
        var refreshed: [ManagedObjectID] = []
        merging {
            for object in registry.objects
            where object.reference.store == store && object.mayBeStale {
                refreshed.append(object.objectID)
                forgetStored(object)
            }
        }
        notifyChildren(ParentChange(stamp: nextStamp(), isReload: true))
        hub.post(.didMerge(inserted: [], updated: [], deleted: [], refreshed: refreshed))
        hub.post(.remoteChange(store: registry.stores[Int(store)].name, number: number))
    }
}

extension ManagedObjectContext {
    /// Makes an object read again what it did not change.
    func forgetStored(_ object: ManagedObject) {
        guard object.hasChanges else { return refresh(object, mergeChanges: true) }
        let edits = object.makeEdits()
        // A fault has no snapshot that could have become old: its changes stand over whatever the store has.
        if object.batch != nil {
            for slot in edits.changed.slots where !object.entity.properties[slot].isTransient {
                object.noteStored(nil, under: slot)
            }
            edits.moved.keep { object.entity.properties[$0].isTransient }
            edits.stale = Set(object.layout.storedSlots)
        }
        for slot in edits.toMany.keys { edits.toMany[slot]?.unload() }
    }
}

extension ManagedObject {
    /// Takes the version over, 0 for none, that `slots` have changed with.
    ///
    /// If those are to-many relationships alone, the snapshot belongs to it only if it belonged to the one
    /// before.
    final func adopt(_ newVersion: UInt32, of slots: [Int]) {
        guard newVersion != 0 else { return }
        let isOfSets = slots.allSatisfy { layout.relationships[$0]?.isToMany ?? false }
        if !isOfSets || newVersion == version &+ 1 { version = newVersion }
    }

    /// Whether it has read something that the store may have changed since: a fault may know the members of
    /// its to-many relationships.
    final var mayBeStale: Bool { !isInserted && (!isFault || edits != nil) }

    /// Takes changed properties over; says whether some have to be read when they are asked for.
    ///
    /// With `isNew` the contents are newer than the snapshot, and `nil` if they are not known; without it,
    /// only the members of to-many relationships are forgotten.
    final func take(_ slots: [Int], isNew: Bool, _ newContent: (Int) -> PropertyContent?) -> Bool {
        var needsReading = false
        let edits = makeEdits()
        for slot in slots where layout.relationships.indices.contains(slot) {
            if layout.relationships[slot]?.isToMany ?? false {
                if edits.toMany[slot]?.stored != nil { needsReading = true }
                edits.toMany[slot]?.unload()
                continue
            }
            guard isNew, batch != nil else { continue }
            let isChanged = edits.changed[slot] != nil
            guard let content = newContent(slot) else {
                let former = presumedContent(slot)
                if isChanged {
                    edits.noteAncestor(knownContent(slot), slot, version: version)
                } else {
                    // The former object is not known to be there any more; once the property is read, only a
                    // change has to be followed.
                    follow(slot, from: former, to: .null)
                }
                edits.stale.insert(slot)
                edits.moved[slot] = nil
                edits.claims[slot] = former?.reference
                needsReading = true
                continue
            }
            if isChanged {
                noteStored(content, under: slot)
            } else {
                follow(slot, from: presumedContent(slot), to: content)
            }
            edits.stale.remove(slot)
            edits.claims[slot] = nil
            edits.moved[slot] = content
        }
        edits.toMany = edits.toMany.filter { $0.value.stored != nil || $0.value.isChanged }
        dropIdleEdits()
        return needsReading
    }
}
