internal import CofferModel
internal import CofferSQLite
package import CofferWire

/// What another program did to the file.
package struct ForeignChange: Sendable {
    /// Transactions that stand in the history, which the service did not write.
    package var transactions: [TransactionMessage] = []
    /// The last number of the history now.
    package var number: UInt64
    /// Whether more changed than the transactions say, or may have.
    package var isIncomplete = true
    /// Whether rows were given another version.
    package var isAdopted = false

    /// A change up to `number` of which nothing else is known.
    package init(upTo number: UInt64) {
        self.number = number
    }
}

extension StoreWriter {
    /// Finds out what another program did to the file since transaction `number`, outside any transaction.
    ///
    /// The file was written in `commitCount` transactions of SQLite, if that is known: the history tells of
    /// all changes only if it has as many. `known` are rows as they were before, with the values that are
    /// compared. A row that was changed and kept its version gets the next one, in a transaction of the
    /// history of its own, so that a client that saves from an older snapshot meets a conflict: other tools
    /// do not know of versions.
    package func foreignChange(
        since number: UInt64, commitCount: UInt32?, known: [PackedRows]
    ) throws(StoreError) -> ForeignChange {
        var change = ForeignChange(upTo: number)
        let history = try HistoryReader(connection: connection, file: file)
        let request = HistoryRequestMessage(store: 0, storeUUID: file.uuid, after: number)
        switch try history.reply(to: request) {
        case .transactions(let transactions, let last, let hasMore):
            change.transactions = transactions
            change.number = last
            // A program that writes the history writes one transaction with each commit.
            change.isIncomplete = hasMore || commitCount.map(Int.init) != transactions.count
        case .expired(_, let current, _): change.number = current
        }
        if let adopted = try adopt(known) {
            change.number = adopted
            change.isIncomplete = true
            change.isAdopted = true
        }
        if change.isIncomplete { change.transactions = [] }
        return change
    }

    /// Gives changed rows of an old version the next one; the number of the transaction that says so, if
    /// there are any.
    private func adopt(_ known: [PackedRows]) throws(StoreError) -> UInt64? {
        if known.isEmpty { return nil }
        let now = file.environment.now()
        try begin()
        // The next version fires triggers, which want to know the time.
        triggers?.begin(at: now)
        defer { triggers?.end() }
        do throws(StoreError) {
            var groups: [ChangeGroup] = []
            for batch in known { groups += try adopt(batch) }
            guard !groups.isEmpty else {
                try rollback()
                return nil
            }
            let number = try write(groups, at: now)
            try commit()
            return number
        } catch {
            try rollback()
            throw error
        }
    }

    private func adopt(_ known: PackedRows) throws(StoreError) -> [ChangeGroup] {
        let plan = try plan(known.entity)
        return try translating { () throws(SQLiteError) in
            let next = try connection.prepare(
                "UPDATE \(plan.entity.table) SET Z_OPT = Z_OPT + 1 WHERE Z_PK = ?1 AND Z_OPT < \(UInt32.max)")
            var groups: [ChangeGroup] = []
            let properties = (0..<known.columnCount).map { known.property($0) }
            for row in 0..<known.rowCount {
                var reader = try StoredRow(plan, properties: properties, on: connection)
                let key = known.primaryKey(row)
                guard try isSound(key, of: plan), try reader.append(key) else { continue }
                let stored = reader.rows()
                guard stored.versions == [known.version(row)] else { continue }
                let changed = known.changes(row, to: stored, of: plan)
                if changed.isEmpty { continue }
                try next.bind(key, at: 1)
                try next.run()
                let object = LeafKey(entity: known.entity, key: key)
                let properties = Set(changed).union(triggers?.touched[object] ?? [])
                groups.append(
                    ChangeGroup(
                        kind: .update, entity: known.entity, primaryKeys: [object.key],
                        properties: properties.sorted()))
            }
            return groups
        }
    }

    /// Whether a row is there and has a version; a row without one cannot be saved.
    private func isSound(_ key: Int64, of plan: EntityPlan) throws(SQLiteError) -> Bool {
        let version = try connection.cached("SELECT Z_OPT FROM \(plan.entity.table) WHERE Z_PK = ?1")
        try version.bind(key, at: 1)
        guard try version.step() else { return false }
        defer { version.reset() }
        return version.type(0) == .integer && UInt32(exactly: version.int64(0)) != nil
    }

    private func write(_ groups: [ChangeGroup], at now: Double) throws(StoreError) -> UInt64 {
        let message = TransactionMessage(
            number: 0, timestamp: now, author: "", contextName: "", process: "",
            application: "", origin: .reload, changes: groups)
        do throws(SQLiteError) {
            let number = try history.begin(message)
            for group in groups {
                // Every entity of a row that was read has a plan.
                let bitmap = try? plan(group.entity).history.bitmap(of: group.properties)
                try history.write(group, columns: bitmap)
            }
            return number
        } catch {
            throw StoreError(error)
        }
    }
}

extension PackedRows {
    /// The properties of a row that have another value in `stored`, which is the same row by itself.
    fileprivate func changes(_ row: Int, to stored: RowBatch, of plan: EntityPlan) -> [Int] {
        stored.columns.compactMap { now in
            guard let column = column(of: now.property, near: 0) else { return nil }
            let isSame =
                if let type = plan.properties[now.property]?.attribute?.type {
                    now.value(at: 0, type: type) == value(column, row, type: type)
                } else {
                    now.reference(at: 0)?.key == reference(column, row)?.key
                }
            return isSame ? nil : now.property
        }
    }
}
