internal import CofferModel
package import CofferSQLite
package import CofferWire
internal import FoundationEssentials

/// Reads a store's history: what happened after a number, in order, never half a transaction.
///
/// Confined to the worker whose connection it uses.
package final class HistoryReader {
    let file: StoreFile
    let connection: SQLiteConnection
    /// How many preserved values a delete may have.
    let tombstoneColumns: Int
    private var layouts: [HistoryLayout?]

    /// Creates a reader over one connection of `file`.
    package init(connection: SQLiteConnection, file: StoreFile) throws(StoreError) {
        self.file = file
        self.connection = connection
        tombstoneColumns = try translating { () throws(SQLiteError) in
            file.hasHistory ? try Self.tombstoneColumns(on: connection) : 0
        }
        layouts = Array(repeating: nil, count: file.schema.entities.count)
    }

    /// The oldest number that a token may have: everything after it is still here.
    package func floor() throws(StoreError) -> UInt64 {
        try translating { () throws(SQLiteError) in try HistoryRetention.floor(of: file, on: connection) }
    }

    /// The number of the last transaction.
    package func lastNumber() throws(StoreError) -> UInt64 {
        try translating { () throws(SQLiteError) in try readLastNumber() }
    }

    /// What was written after transaction `number`; `nil` if history does not go back so far.
    package func transactions(since number: UInt64) throws(StoreError) -> [TransactionMessage]? {
        var transactions: [TransactionMessage] = []
        var after = number
        while true {
            let request = HistoryRequestMessage(store: 0, storeUUID: file.uuid, after: after)
            guard case .transactions(let page, _, let hasMore) = try reply(to: request) else { return nil }
            transactions += page
            guard hasMore, let last = page.last else { return transactions }
            after = last.number
        }
    }

    /// Answers a request; the caller has checked that the client may read.
    ///
    /// Changed objects come in groups of one kind, entity and set of properties, without versions and values.
    /// Changes that another model wrote, of entities that this one does not have, are left out.
    package func reply(to request: HistoryRequestMessage) throws(StoreError) -> HistoryReplyMessage {
        guard connection.isAutocommit else { return try read(request) }  // Of a moment that the caller chose.
        try translating { () throws(SQLiteError) in try connection.begin(.deferred) }
        let reply: HistoryReplyMessage
        do throws(StoreError) {
            reply = try read(request)
        } catch {
            try translating { () throws(SQLiteError) in try connection.rollback() }
            throw error
        }
        try translating { () throws(SQLiteError) in try connection.rollback() }
        return reply
    }

    private func read(_ request: HistoryRequestMessage) throws(StoreError) -> HistoryReplyMessage {
        if file.hasUnknownHistory { throw .unknownHistory(path: file.path) }
        let floor = try self.floor()
        let last = try self.lastNumber()
        let isOtherStore = request.storeUUID.map { $0 != file.uuid } ?? false
        let after = request.isFromFloor ? floor : request.after
        guard !isOtherStore, after >= floor, after <= last else {
            return .expired(floor: floor, current: last, isOtherStore: isOtherStore)
        }
        let limit =
            request.limit > 0 ? min(request.limit, Limits.historyTransactions) : Limits.historyTransactions
        let transactions = try translating { () throws(SQLiteError) -> [TransactionMessage] in
            file.hasHistory ? try self.transactions(request, after: after, limit: limit) : []
        }
        let reached = transactions.last?.number ?? last
        return .transactions(transactions, number: last, hasMore: reached < last && !transactions.isEmpty)
    }
}

extension HistoryReader {
    private func readLastNumber() throws(SQLiteError) -> UInt64 {
        let statement = try connection.cached(FixedTables.lastTransaction(hasHistory: file.hasHistory))
        guard try statement.step() else { return 0 }
        defer { statement.reset() }
        return UInt64(max(0, statement.int64(0)))
    }

    private func transactions(
        _ request: HistoryRequestMessage, after number: UInt64, limit: Int
    ) throws(SQLiteError) -> [TransactionMessage] {
        let names = ["ZAUTHOR", "ZBUNDLEID", "ZCONTEXTNAME", "ZPROCESSID"].map { column in
            file.hasHistoryStrings
                ? "ifnull((SELECT ZNAME FROM ATRANSACTIONSTRING s WHERE s.Z_PK = t.\(column)TS), t.\(column))"
                : "t.\(column)"
        }
        let statement = try connection.cached(
            "SELECT t.Z_PK, t.ZTIMESTAMP, \(names.joined(separator: ", ")), "
                + "\(file.hasHistoryPlaces ? "o.first" : "NULL") FROM ATRANSACTION t "
                + (file.hasHistoryPlaces
                    ? "LEFT JOIN \(FixedTables.transactionTable) o ON o.number = t.Z_PK " : "")
                + "WHERE t.Z_PK > ?1 AND (?3 IS NULL OR t.ZTIMESTAMP > ?3) ORDER BY t.Z_PK LIMIT ?2")
        defer { statement.reset() }
        try statement.bind(Int64(clamping: number), at: 1)
        try statement.bind(Int64(limit), at: 2)
        if let time = request.afterTime {
            try statement.bind(time, at: 3)
        } else {
            try statement.bindNull(at: 3)
        }
        var transactions: [TransactionMessage] = []
        var changes = 0
        while try statement.step() {
            let number = UInt64(max(0, statement.int64(0)))
            let author = statement.text(2)
            var message = TransactionMessage(
                number: number, timestamp: statement.double(1), author: author,
                contextName: statement.text(4), process: statement.text(5), application: statement.text(3),
                origin: author.hasPrefix("com.apple.coredata.schemamigrator") ? .migration : .save)
            if request.withoutChanges {
                transactions.append(message)
                continue
            }
            let (groups, count) = try self.changes(
                of: number, from: statement.isNull(6) ? nil : statement.int64(6))
            if changes > 0, changes + count > Limits.historyChanges { break }
            changes += count
            message.changes = groups
            transactions.append(message)
        }
        return transactions
    }

    /// The changes of one transaction; neighbours of one kind share a group.
    ///
    /// `first` is the key of the first change, which the others follow; if we did not write the
    /// transaction, they are searched for.
    private func changes(of number: UInt64, from first: Int64?) throws(SQLiteError) -> ([ChangeGroup], Int) {
        let columns = "SELECT ZCHANGETYPE, ZENTITY, ZENTITYPK, ZCOLUMNS, ZTRANSACTIONID, Z_PK FROM ACHANGE"
        let condition = first == nil ? "ZTRANSACTIONID = ?1" : "Z_PK >= ?1"
        let statement = try connection.cached("\(columns) WHERE \(condition) ORDER BY Z_PK")
        defer { statement.reset() }
        try statement.bind(first ?? Int64(clamping: number), at: 1)
        var groups: [ChangeGroup] = []
        var last: (kind: Int64, entity: Int64, columns: [UInt8])?
        var next: Int64?
        var deletes: [(group: Int, first: Int64)] = []
        var count = 0
        while try statement.step(), statement.int64(4) == Int64(clamping: number) {
            let (kind, entity, key) = (statement.int64(0), statement.int64(1), statement.int64(2))
            let columns = statement.blob(3)
            count += 1
            let change = statement.int64(5)
            // The preserved values of a group's objects stand in one run.
            let isRun = next == change || kind != Int64(ChangeKind.delete.rawValue)
            next = change &+ 1
            if let last, last == (kind, entity, columns), isRun {
                groups[groups.count - 1].primaryKeys.append(key)
                continue
            }
            guard let changeKind = ChangeKind(rawValue: UInt32(clamping: kind)),
                let stored = file.schema.entity(numbered: Int(clamping: entity))
            else {
                last = nil
                continue
            }
            last = (kind, entity, columns)
            if changeKind == .delete, !layout(stored.index).preserved.isEmpty {
                deletes.append((groups.count, change))
            }
            let properties = changeKind == .update ? layout(stored.index).properties(in: columns) : []
            groups.append(
                ChangeGroup(
                    kind: changeKind, entity: stored.index, primaryKeys: [key], properties: properties))
        }
        for (group, first) in deletes { try addTombstones(to: &groups[group], from: first) }
        return (groups, count)
    }

    private func layout(_ entity: Int) -> HistoryLayout {
        if let layout = layouts[entity] { return layout }
        let layout = HistoryLayout(file.schema.model.entities[entity], in: file.schema)
        layouts[entity] = layout
        return layout
    }
}
