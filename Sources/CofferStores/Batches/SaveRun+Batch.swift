internal import CofferModel
internal import CofferSQLite
internal import CofferWire

/// What a request's batch operations did so far.
struct BatchProgress {
    var count: UInt64 = 0
    var changes: [ChangeGroup] = []
}

extension SaveRun {
    /// Carries out the request's batch operations, in pieces of bounded size, all in the save's own
    /// savepoint.
    ///
    /// Objects are found first, by key: 8 bytes each. Values are read, computed, checked and written piece by
    /// piece.
    mutating func runBatch() throws(StoreError) {
        guard let batch = save.batch, outcome.isClear else { return }
        changes.isBatchRunning = true
        constraints.isBatchRunning = true
        for update in batch.updates where outcome.failures.isEmpty && outcome.constraints.isEmpty {
            try run(update)
        }
        for delete in batch.deletes where outcome.failures.isEmpty && outcome.constraints.isEmpty {
            try run(delete)
        }
        changes.isBatchRunning = false
        constraints.isBatchRunning = false
        if batch.result == .status { batchProgress.count = 0 }
    }

    /// The keys of the objects that fit, by leaf entity.
    private func keys(of entity: String, includesSubentities: Bool, matching predicate: QueryPredicate?)
        throws(StoreError) -> [Int: [Int64]]
    {
        var description = FetchDescription(entityName: entity, predicate: predicate)
        description.includesSubentities = includesSubentities
        description.resultType = .objectIDs
        let reply = try writer.batchReader().fetch(FetchRequestMessage(store: save.store, fetch: description))
        guard let rows = reply.rows else { return [:] }
        var found: [Int: [Int64]] = [:]
        for row in 0..<rows.rowCount {
            found[rows.leafEntity(row), default: []].append(rows.primaryKey(row))
        }
        return found
    }

    private mutating func addResult(_ kind: ChangeKind, of entity: Int, keys: [Int64]) {
        batchProgress.count += UInt64(keys.count)
        guard save.batch?.result == .ids else { return }
        batchProgress.changes.append(ChangeGroup(kind: kind, entity: entity, primaryKeys: keys))
    }
}

extension SaveRun {
    private mutating func run(_ update: BatchUpdateMessage) throws(StoreError) {
        let found = try keys(
            of: update.entity, includesSubentities: update.includesSubentities, matching: update.predicate)
        for (entity, keys) in found.sorted(by: { $0.key < $1.key }) {
            let assignments = try BatchAssignments(
                update.assignments, of: try writer.plan(entity), in: writer.file)
            for start in stride(from: 0, to: keys.count, by: Limits.batchPiece) {
                let piece = keys[start..<min(start + Limits.batchPiece, keys.count)]
                try write(assignments, Array(piece))
                guard outcome.failures.isEmpty else { return }
            }
            addResult(.update, of: entity, keys: keys)
        }
        try updateDeferred()
        if outcome.failures.isEmpty, outcome.constraints.isEmpty { try pairs.writeOtherEnds() }
    }

    /// Writes one piece.
    private mutating func write(_ assignments: BatchAssignments, _ keys: [Int64]) throws(StoreError) {
        let plan = assignments.plan
        let stored = try translating { () throws(SQLiteError) in
            var reader = try StoredRow(
                plan, properties: assignments.readProperties, needsFiles: true, on: writer.connection)
            for key in keys { _ = try reader.append(key) }
            return reader.rows()
        }
        let columns = try assignments.columns(for: stored)
        try ValueCheck(state: state).check(columns, stored.primaryKeys, of: plan)
        try references.check(columns, of: plan, isUpdate: false) { stored.primaryKeys[$0] }
        guard outcome.failures.isEmpty else { return }
        let written = Set(columns.map(\.property))
        let request = UpdateGroup(
            entity: plan.index, primaryKeys: stored.primaryKeys, versions: stored.versions, columns: columns,
            oldColumns: stored.columns.filter { written.contains($0.property) })
        let mark = changes.groups.count
        try translating { () throws(SQLiteError) in
            for key in stored.primaryKeys { try pairs.willWrite(columns, of: plan, key: key) }
        }
        try self.update(RequestedUpdates(request: request, columns: columns, plan: plan))
        if outcome.failures.isEmpty, deferred.isEmpty { try pairs.writeOtherEnds() }
        changes.dropValues(from: mark)
        try changes.absorbDerived(from: mark)
    }
}

extension SaveRun {
    /// Deletes what fits, with what delete rules lead to from there.
    private mutating func run(_ delete: BatchDeleteMessage) throws(StoreError) {
        let found =
            delete.primaryKeys.isEmpty
            ? try keys(
                of: delete.entity, includesSubentities: delete.includesSubentities, matching: delete.predicate
            ) : try named(delete)
        try deletes.deleteFound(found)
        for (entity, keys) in found.sorted(by: { $0.key < $1.key }) {
            addResult(.delete, of: entity, keys: keys)
        }
    }

    /// The objects that a delete names by key and that exist, by leaf entity.
    private mutating func named(_ delete: BatchDeleteMessage) throws(StoreError) -> [Int: [Int64]] {
        let model = writer.file.schema.model
        guard let entity = model.entity(named: delete.entity),
            writer.file.schema.entities[entity.index] != nil
        else { throw .unknownEntity(delete.entity) }
        let family =
            delete.includesSubentities ? entity.familyIndices : entity.index..<(entity.index + 1)
        var named: [Int: [Int64]] = [:]
        for key in Set(delete.primaryKeys).sorted() {
            guard let leaf = try objects.leaf(of: RowKey(root: entity.rootIndex, key: key)),
                family.contains(leaf)
            else {
                continue
            }
            named[leaf, default: []].append(key)
        }
        return named
    }
}
