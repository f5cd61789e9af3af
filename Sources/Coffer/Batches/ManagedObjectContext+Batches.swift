import CofferModel
import CofferWire
import FoundationEssentials

extension ManagedObjectContext {
    /// Carries out a batch insert, in the store and not in the context; `progress` is told how many rows are
    /// durable.
    ///
    /// - Throws: `.validation`, `.constraints` under the context's merge policy, `.unknown`, `.wrongType`,
    ///   `.refused` if one transaction is to be larger than a message; what the closure throws comes as
    ///   `.refused`.
    @discardableResult
    public func execute(
        _ insert: BatchInsert, progress: ((Int) -> Void)? = nil
    ) throws(CofferError) -> BatchResult {
        let entity = try entity(named: insert.entityName)
        guard !entity.isAbstract else { throw .unknown(kind: "concrete entity", name: entity.name) }
        let store = try store(for: insert, entity)
        var result = BatchResult(insert.resultType)
        var count = 0
        var isFinished = false
        let next = insert.makeNext()
        repeat {
            var rows = BatchRows(registry.layout(entity.index), store: registry.stores[Int(store)].uuid)
            let limit = max(1, insert.rowsPerTransaction ?? .max)
            while rows.count < limit, !isFinished {
                guard let row = try row(of: insert, next) else {
                    isFinished = true
                    break
                }
                try rows.append(row)
            }
            if rows.count == 0 { break }
            try execute(insert, rows: rows, in: store, result: &result)
            count += rows.count
            progress?(count)
        } while !isFinished
        if insert.resultType != .statusOnly { result.count = count }
        return result
    }

    private func row(
        of insert: BatchInsert, _ next: () throws -> [String: AttributeValue]?
    ) throws(CofferError) -> [String: AttributeValue]? {
        do {
            return try next()
        } catch {
            if let error = error as? CofferError { throw error }
            throw .refused(
                code: StatusCode.aborted.name, reason: "next_row", text: "\(error)", place: insert.entityName)
        }
    }

    private func store(for insert: BatchInsert, _ entity: EntityDescription) throws(CofferError) -> Int16 {
        refreshStores()
        let place = storesByEntity[entity.index].first { place in
            let store = registry.stores[Int(place)]
            return !store.isReadOnly && (insert.storeName.map { $0 == store.name } ?? true)
        }
        guard let place else { throw .unknown(kind: "writable store for entity", name: entity.name) }
        return place
    }

    private func execute(
        _ insert: BatchInsert, rows: BatchRows, in store: Int16, result: inout BatchResult
    ) throws(CofferError) {
        let group = rows.group()
        let saved = try send(
            batchRequest(store, inserts: [group], BatchMessage(result: insert.resultType.message)), store)
        result.transactions[registry.stores[Int(store)].name] = saved.number
        guard insert.resultType == .objectIDs, let first = saved.firstKeys.first else { return }
        for row in group.temporaryIDs.indices {
            let merged = saved.merged[row]
            let id = registry.id(
                registry.reference(store: store, entity: group.entity, key: merged ?? first + Int64(row)))
            if merged == nil { result.inserted.append(id) } else { result.updated.append(id) }
        }
    }

    /// Carries out a batch update, in all stores that keep the entity, one after the other.
    ///
    /// - Throws: `.validation`, `.constraints`, `.unknown`, `.refused` if an expression gives a value that
    ///   does not fit its property.
    @discardableResult
    public func execute(_ update: BatchUpdate) throws(CofferError) -> BatchResult {
        let entity = try entity(named: update.entityName)
        var result = BatchResult(update.resultType)
        try executeInStores(of: entity, result: &result) { store in
            let message = BatchUpdateMessage(
                entity: entity.name, includesSubentities: update.includesSubentities,
                predicate: update.predicate?.asked(of: store),
                assignments: update.propertiesToUpdate.sorted { $0.key < $1.key }.map {
                    AssignmentMessage(property: $0.key, expression: $0.value.asked(of: store))
                })
            return BatchMessage(updates: [message], result: update.resultType.message)
        }
        return result
    }

    /// Carries out a batch delete, in all stores that keep the entity, one after the other.
    ///
    /// - Throws: `.validation` if a delete rule forbids it, `.unknown`; `.wrongType` if an id is of another
    ///   inheritance tree.
    @discardableResult
    public func execute(_ delete: BatchDelete) throws(CofferError) -> BatchResult {
        let entity = try entity(named: delete.entityName)
        // Keys travel without their entities, and those of another tree mean other objects.
        for id in delete.objectIDs ?? []
        where model.entity(named: id.entity.name)?.rootIndex != entity.rootIndex {
            throw .wrongType(
                entity: entity.name, property: "objectID", expected: "an id of entity '\(entity.name)'")
        }
        var result = BatchResult(delete.resultType)
        try executeInStores(of: entity, result: &result) { store in
            var message = BatchDeleteMessage(
                entity: entity.name, includesSubentities: delete.includesSubentities,
                predicate: delete.predicate?.asked(of: store))
            if let ids = delete.objectIDs {
                message.primaryKeys = ids.filter { $0.storeUUID == store }.compactMap(\.primaryKey)
                if message.primaryKeys.isEmpty { return nil }
            }
            return BatchMessage(deletes: [message], result: delete.resultType.message)
        }
        return result
    }

    private func executeInStores(
        of entity: EntityDescription, result: inout BatchResult, _ message: (UUID) -> BatchMessage?
    ) throws(CofferError) {
        refreshStores()
        for store in storesByEntity[entity.index] where !registry.stores[Int(store)].isReadOnly {
            guard let batch = message(registry.stores[Int(store)].uuid) else { continue }
            let saved = try send(batchRequest(store, inserts: [], batch), store)
            result.transactions[registry.stores[Int(store)].name] = saved.number
            if let count = result.count { result.count = count + Int(clamping: saved.batch.count) }
            for group in saved.batch.changes where model.entities.indices.contains(group.entity) {
                let ids = group.primaryKeys.map {
                    registry.id(registry.reference(store: store, entity: group.entity, key: $0))
                }
                if group.kind == .delete { result.deleted += ids } else { result.updated += ids }
            }
        }
    }
}

extension ManagedObjectContext {
    private func batchRequest(_ store: Int16, inserts: [InsertGroup], _ batch: BatchMessage)
        -> SaveRequestMessage
    {
        SaveRequestMessage(
            store: registry.stores[Int(store)].handle,
            request: RequestIDMessage(client: UUID.valueForNull, sequence: 0, acknowledged: 0),
            author: transactionAuthor, contextName: name, mergePolicy: mergePolicy.message, inserts: inserts,
            batch: batch, isBackground: savesInBackground)
    }

    private func send(_ request: SaveRequestMessage, _ store: Int16) throws(CofferError) -> SavedMessage {
        switch try coordinator.save(request, origin: nil) {
        case .saved(let saved): return saved
        case .conflicts: throw .protocolViolation("coffer.v1.SaveReply: conflicts of a batch operation")
        case .invalid(let failures): throw .validation(failures.map { failure($0, store: store) })
        case .constraints(let messages):
            throw .constraints(try constraintConflicts(messages, store: store, of: request))
        }
    }

    /// Makes what a batch operation did known to this context at once, while its push is still on its way;
    /// merging twice is harmless.
    ///
    /// Unsaved changes stay, and meet what the operation wrote under them as a conflict when they are saved.
    public func mergeChanges(from result: BatchResult) {
        mergePendingChanges()
        for id in result.updated + result.deleted {
            // Rows of objects that are yet to be made.
            if let reference = reference(to: id) { registry.forgetReadAhead(reference) }
        }
        for id in result.updated {
            guard let object = registeredObject(for: id), !object.isFault else { continue }
            forgetStored(object)
        }
        followDeletion(of: result.deleted.compactMap { reference(to: $0) })
        if result.inserted.isEmpty && result.updated.isEmpty && result.deleted.isEmpty { return }
        if let log = registry.changeLog {
            for id in result.inserted { reference(to: id).map { log.noteInsertion($0) } }
            for id in result.updated { reference(to: id).map { log.noteUpdate($0, []) } }
            for id in result.deleted { reference(to: id).map { log.noteDeletion($0) } }
            tellWatchers()
        }
        hub.post(
            .didMerge(
                inserted: result.inserted, updated: result.updated, deleted: result.deleted, refreshed: []))
    }
}

extension BatchResultType {
    var message: BatchMessage.Result {
        switch self {
        case .statusOnly: .status
        case .count: .count
        case .objectIDs: .ids
        }
    }
}

extension BatchResult {
    /// What is known before anything was done.
    fileprivate init(_ type: BatchResultType) {
        count = type == .statusOnly ? nil : 0
    }
}
