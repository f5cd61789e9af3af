internal import CofferModel
internal import CofferSQLite
internal import CofferWire

/// A row of the request's updates that a uniqueness constraint forbade before the deletes.
struct DeferredUpdate {
    let group: Int
    let row: Int
    /// What is written of it; for an object that is brought back that is found anew.
    let columns: [Column]
    /// Whether the object was deleted, and is brought back.
    var isInsert = false
}

/// Updates that a uniqueness constraint forbade, tried again when the deletes of the save have freed what they free.
///
/// Their rows had the versions of the request then, or a policy has decided about them, and nobody else writes: what delete rules have
/// done to them since is no conflict.
extension SaveRun {
    /// Tries all that wait.
    mutating func updateDeferred() throws(StoreError) {
        try vacateDeferred()
        for update in deferredUpdates where !update.isInsert { try updateAgain(update) }
        for update in deferredUpdates where update.isInsert {
            // What it names may have been deleted since.
            try bringBack(update.group, update.row, isLast: true)
        }
        deferredUpdates.removeAll()
    }

    /// Objects that are brought back only after the deletes.
    func lateObjects() throws(StoreError) -> Set<RowKey> {
        var objects: Set<RowKey> = []
        for update in deferredUpdates where update.isInsert {
            let request = save.updates[update.group]
            objects.insert(
                RowKey(root: try writer.plan(request.entity).root, key: request.primaryKeys[update.row]))
        }
        return objects
    }

    /// Takes values that may be there once from several rows that wait for each other, so that they can swap them.
    private func vacateDeferred() throws(StoreError) {
        guard deferredUpdates.count > 1 else { return }
        for update in deferredUpdates where !update.isInsert {
            let request = save.updates[update.group]
            let plan = try writer.plan(request.entity)
            let names = Set(constraints(of: plan).joined())
            let columns = update.columns.compactMap { column in
                plan.properties[column.property].flatMap { names.contains($0.name) ? $0.columnName : nil }
            }
            if columns.isEmpty { continue }
            try translating { () throws(SQLiteError) in
                let statement = try connection.cached(
                    "UPDATE \(plan.entity.table) SET "
                        + columns.map { $0 + " = NULL" }.joined(separator: ", ")
                        + " WHERE Z_PK = ?1 AND Z_ENT = \(plan.entity.number)")
                try statement.bind(request.primaryKeys[update.row], at: 1)
                try statement.run()
            }
        }
    }

    /// Tries one row, which a delete rule may have deleted meanwhile.
    private mutating func updateAgain(_ update: DeferredUpdate) throws(StoreError) {
        let request = save.updates[update.group]
        let (columns, row) = (update.columns, update.row)
        let plan = try writer.plan(request.entity)
        let key = request.primaryKeys[row]
        guard let version = try writer.storedVersion(plan, key), try checkEnds(columns, row, plan, key) else {
            return
        }
        do throws(SQLiteError) {
            let statement = try plan.update(columns, on: connection)
            switch try write(statement, columns, row, plan, key, version) {
            case .written:
                changes.touchOwners(statement, columns, row: row)
                changes.addUpdate(of: plan.object(key), version: version, by: statement)
            case .forbidden(let code, let message):
                try noteConstraint(plan, key, columns, row, code, message)
            case .stale: throw writer.unsoundVersion  // Nobody else writes.
            }
        } catch {
            throw StoreError(error)
        }
    }
}
