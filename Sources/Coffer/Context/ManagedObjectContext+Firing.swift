import CofferModel
import CofferWire

extension ManagedObjectContext {
    /// Reads an object's row, and with it those of other faults of its group.
    ///
    /// - Throws: `CofferError.objectDeleted` where the store does not have it.
    func fire(_ object: ManagedObject) throws(CofferError) {
        if object.status.contains(.gone) || (object.reference.isUnsaved && link == nil) {
            throw .objectDeleted(object.objectID)
        }
        let candidates = object.faults?.around(object.reference, limit: Limits.faultBatch) ?? []
        var objects = [object]
        var unmade: [ObjectReference] = []
        for reference in candidates where reference != object.reference {
            if let other = registry.object(reference) {
                if other.isFault { objects.append(other) }
            } else if object.faults?.includesUnmade ?? false {
                unmade.append(reference)
            }
        }
        try read(objects, ahead: unmade)
        if object.status.contains(.gone) { throw .objectDeleted(object.objectID) }
    }

    /// Reads the rows of objects of one store's inheritance tree; those that it does not have turn out to be deleted.
    ///
    /// The rows `ahead` are kept until somebody asks for their objects.
    func read(_ objects: [ManagedObject], ahead: [ObjectReference] = []) throws(CofferError) {
        guard let first = objects.first else { return }
        if let link { return try read(objects, from: link) }
        sendReleases()
        statistics.faultsFired += 1
        let request = RowsRequestMessage(
            store: registry.stores[Int(first.reference.store)].handle, entity: Int(first.reference.root),
            primaryKeys: objects.map(\.reference.key) + ahead.map(\.key))
        let reply = try coordinator.rows(request)
        var missing = Set(objects)
        for rows in reply.blocks {
            let batch = try registry.snapshots(rows, isComplete: true)
            for row in 0..<rows.rowCount {
                let reference = registry.reference(
                    store: first.reference.store, entity: rows.leafEntity(row), key: rows.primaryKey(row))
                guard let object = registry.object(reference) else {
                    registry.release(readAhead.keep(reference, batch, row: row))
                    continue
                }
                missing.remove(object)
                object.adopt(batch, row: row)
                object.awakeFromFetch()
            }
        }
        for object in missing { noteDeletedInStore(object) }
    }

    /// Reads who is in the to-many relationship `slot` of an object.
    func loadMembers(of object: ManagedObject, _ slot: Int) throws(CofferError) {
        if let link { return try loadMembers(of: object, slot, from: link) }
        sendReleases()
        statistics.relationshipsLoaded += 1
        let reply = try coordinator.relationship(
            RelationshipRequestMessage(
                store: registry.stores[Int(object.reference.store)].handle,
                entity: Int(object.reference.leaf),
                property: slot, primaryKeys: [object.reference.key]))
        guard reply.primaryKeys.count == reply.entities.count,
            reply.entities.allSatisfy({ model.entities.indices.contains(Int($0)) })
        else {
            throw .protocolViolation(
                "coffer.v1.RelationshipReply.entities: one of the model for each key is needed")
        }
        let members = zip(reply.primaryKeys, reply.entities).map { key, entity in
            registry.reference(store: object.reference.store, entity: Int(entity), key: key)
        }
        object.makeEdits().toMany[slot, default: ToManyContent()].load(members)
    }

    /// Follows that the store has an object no more; local changes stay, and conflict with that at the next save.
    func noteDeletedInStore(_ object: ManagedObject) {
        if object.isUpdated {
            object.makeEdits().isDeletedInStore = true
        } else {
            markGone(object)
        }
    }

    /// Tells the coordinator which rows the context holds no more.
    func sendReleases() {
        let released = registry.takeReleased()
        if link != nil { return }  // A parent context counts for those below.
        for (store, root, keys) in released {
            for start in stride(from: 0, to: keys.count, by: Limits.releaseBatch) {
                coordinator.release(
                    ReleaseRequestMessage(
                        store: registry.stores[Int(store)].handle, entity: root,
                        primaryKeys: Array(keys[start..<min(start + Limits.releaseBatch, keys.count)])))
            }
        }
    }
}
