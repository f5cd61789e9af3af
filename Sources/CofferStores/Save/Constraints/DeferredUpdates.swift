internal import CofferModel
internal import CofferSQLite
internal import CofferWire

/// A row of the request's updates that a uniqueness constraint forbade before the deletes.
struct DeferredUpdate {
    let group: RequestedUpdates
    let row: Int
    /// The columns to write; for an object that is brought back they are computed again.
    let columns: [Column]
    /// Whether the object was deleted, and is brought back.
    var bringsBack = false

    var plan: EntityPlan { group.plan }
    var key: Int64 { group.request.primaryKeys[row] }
}

/// Updates that a uniqueness constraint forbade, to be tried again after the deletes of the save.
struct DeferredUpdates {
    private var waiting: [DeferredUpdate] = []

    var isEmpty: Bool { waiting.isEmpty }

    mutating func append(_ update: DeferredUpdate) { waiting.append(update) }

    /// Objects that are brought back only after the deletes.
    func lateObjects() -> Set<RowKey> {
        var objects: Set<RowKey> = []
        for update in waiting where update.bringsBack { objects.insert(update.plan.row(update.key)) }
        return objects
    }

    /// Removes and returns all waiting updates, after clearing the unique values in their rows: so rows can
    /// swap their values.
    mutating func removeAll(writer: StoreWriter) throws(StoreError) -> [DeferredUpdate] {
        let updates = waiting
        waiting = []
        if updates.count > 1 {
            for update in updates where !update.bringsBack { try vacate(update, writer) }
        }
        return updates
    }

    private func vacate(_ update: DeferredUpdate, _ writer: StoreWriter) throws(StoreError) {
        let plan = update.plan
        let names = Set(writer.uniquenessConstraints(of: plan).joined())
        let columns = update.columns.compactMap { column in
            plan.properties[column.property].flatMap { names.contains($0.name) ? $0.columnName : nil }
        }
        if columns.isEmpty { return }
        try translating { () throws(SQLiteError) in
            let statement = try writer.connection.cached(
                "UPDATE \(plan.entity.table) SET "
                    + columns.map { $0 + " = NULL" }.joined(separator: ", ")
                    + " WHERE Z_PK = ?1 AND Z_ENT = \(plan.entity.number)")
            try statement.bind(update.key, at: 1)
            try statement.run()
        }
    }
}
