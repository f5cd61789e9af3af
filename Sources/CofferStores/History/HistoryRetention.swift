internal import CofferSQLite
package import CofferWire

/// How long history is kept, and which consumers it waits for.
enum HistoryRetention {
    /// The number up to which history was purged.
    static func floor(of file: StoreFile, on connection: SQLiteConnection) throws(SQLiteError) -> UInt64 {
        guard file.hasHistory else { return 0 }
        let kept =
            file.hasOwnTables ? "(SELECT value FROM COFFER_STATE WHERE name = 'history_floor')" : "0"
        let statement = try connection.cached(
            "SELECT max(ifnull(\(kept), 0), ifnull((SELECT min(Z_PK) - 1 FROM ATRANSACTION), 0))")
        guard try statement.step() else { return 0 }
        defer { statement.reset() }
        return UInt64(max(0, statement.int64(0)))
    }
}

extension StoreWriter {
    /// Records how far a consumer of history has come, and makes history wait for it for another 14 days;
    /// inside the transaction.
    ///
    /// - Parameters:
    ///   - request: The consumer; an acknowledged number only grows.
    ///   - application: The caller's.
    ///   - now: What the calendar says, in seconds since 2001-01-01 00:00 UTC; see `RetentionTime`.
    ///   - isEndless: Whether history waits for the consumer until it is removed.
    /// - Returns: The oldest number that a token may have.
    /// - Throws: `StoreError.tooLarge` if the store has too many consumers.
    package func acknowledge(
        _ request: ConsumerRequestMessage, application: String, now: Double, isEndless: Bool = false
    ) throws(StoreError) -> UInt64 {
        let (floor, count) = try translating { () throws(SQLiteError) -> (UInt64, Int64) in
            let statement = try connection.cached(
                request.isRemoved
                    ? "DELETE FROM COFFER_CONSUMER WHERE application = ?1 AND name = ?2"
                    : "INSERT INTO COFFER_CONSUMER(application, name, acknowledged, lease) VALUES(?1, ?2, ?3, ?4) "
                        + "ON CONFLICT(application, name) DO UPDATE SET "
                        + "acknowledged = max(acknowledged, excluded.acknowledged), lease = excluded.lease")
            try statement.bind(application, at: 1)
            try statement.bind(request.name, at: 2)
            if !request.isRemoved {
                try statement.bind(Int64(clamping: min(request.acknowledged, lastTransaction)), at: 3)
                try statement.bind(
                    isEndless
                        ? Double.greatestFiniteMagnitude
                        : try ageHistory(now: now).time + Limits.consumerLease,
                    at: 4)
            }
            try statement.run()
            let query = try connection.cached("SELECT count(*) FROM COFFER_CONSUMER")
            let count = try query.step() ? query.int64(0) : 0
            query.reset()
            return (try HistoryRetention.floor(of: file, on: connection), count)
        }
        guard count <= Limits.consumers else {
            throw .tooLarge("\(count) consumers of history, \(Limits.consumers) are allowed")
        }
        return floor
    }

    /// Deletes history of ours that is older than 7 days and that all consumers within their lease have read;
    /// inside the transaction.
    ///
    /// - Parameter now: What the calendar says, in seconds since 2001-01-01 00:00 UTC; see `RetentionTime`
    ///   for what that counts.
    /// - Returns: The oldest number that a token may have from now on.
    /// - Throws: `StoreError` if the system did not allow it.
    @discardableResult
    package func purgeHistory(now: Double) throws(StoreError) -> UInt64 {
        try translating { () throws(SQLiteError) -> UInt64 in
            let time = try ageHistory(now: now)
            let oldest = try connection.cached(
                "SELECT min(?1, "
                    + "ifnull((SELECT min(acknowledged) FROM COFFER_CONSUMER WHERE lease >= ?2), 9223372036854775807))"
            )
            try oldest.bind(try lastOldTransaction(at: time), at: 1)
            try oldest.bind(time.time, at: 2)
            let limit = try oldest.step() ? oldest.int64(0) : 0
            oldest.reset()
            let floor = try deleteHistory(upTo: limit)
            let expired = try connection.cached("DELETE FROM COFFER_CONSUMER WHERE lease < ?1")
            try expired.bind(time.time, at: 1)
            try expired.run()
            return floor
        }
    }

    /// Deletes what a request names, as far as all consumers within their lease have read it; inside the
    /// transaction.
    ///
    /// The request is an application's own decision, and may go beyond the 7 days for which history is kept
    /// otherwise.
    /// - Returns: The oldest number that a token may have from now on.
    func deleteHistory(_ request: PurgeHistoryRequestMessage, now: Double) throws(StoreError) -> UInt64 {
        try translating { () throws(SQLiteError) -> UInt64 in
            let oldest = try connection.cached(
                "SELECT min(max(?1, CASE WHEN ?2 IS NULL THEN 0 ELSE "
                    + "ifnull((SELECT Z_PK - 1 FROM ATRANSACTION WHERE ZTIMESTAMP >= ?2 ORDER BY Z_PK LIMIT 1), "
                    + "ifnull((SELECT max(Z_PK) FROM ATRANSACTION), 0)) END), "
                    + "ifnull((SELECT min(acknowledged) FROM COFFER_CONSUMER WHERE lease >= ?3), 9223372036854775807))"
            )
            try oldest.bind(Int64(clamping: request.before) - (request.before > 0 ? 1 : 0), at: 1)
            if let time = request.beforeTime {
                try oldest.bind(time, at: 2)
            } else {
                try oldest.bindNull(at: 2)
            }
            try oldest.bind(try ageHistory(now: now).time, at: 3)
            let limit = try oldest.step() ? oldest.int64(0) : 0
            oldest.reset()
            return try deleteHistory(upTo: limit)
        }
    }

    /// Deletes transactions that Coffer wrote, up to a number, and raises the floor to the last of them, or
    /// with `isAll` to the number.
    ///
    /// The very last transaction stays, since readers tell by it how far they have read. Those of other
    /// programs stay, too: it is for the applications that wrote them to say when they go.
    private func deleteHistory(upTo number: Int64, isAll: Bool = false) throws(SQLiteError) -> UInt64 {
        let floor = try HistoryRetention.floor(of: file, on: connection)
        var limit = min(number, Int64(clamping: lastTransaction) - 1)
        if !isAll { limit = try lastOwnTransaction(upTo: limit) }
        guard limit > Int64(clamping: floor) else { return floor }
        try keepReplies(upTo: limit)
        let own = FixedTables.transactionTable
        for sql in [
            // The range from the first of ours up to the first that is kept, if we wrote that one: the
            // number of a transaction has no index.
            "DELETE FROM ACHANGE WHERE Z_PK >= (SELECT first FROM \(own) ORDER BY number LIMIT 1) AND Z_PK < ifnull("
                + "(SELECT first FROM \(own) WHERE number = ?1 + 1), 9223372036854775807) AND ZTRANSACTIONID <= ?1 "
                + "AND EXISTS (SELECT 1 FROM \(own) WHERE number = ZTRANSACTIONID)",
            "DELETE FROM ATRANSACTION WHERE Z_PK BETWEEN (SELECT min(number) FROM \(own)) AND ?1 "
                + "AND EXISTS (SELECT 1 FROM \(own) WHERE number = Z_PK)",
            "DELETE FROM \(own) WHERE number <= ?1",
        ] {
            let statement = try connection.cached(sql)
            try statement.bind(limit, at: 1)
            try statement.run()
        }
        try keepFloor(limit)
        return UInt64(limit)
    }

    private func keepFloor(_ number: Int64) throws(SQLiteError) {
        let statement = try connection.cached(
            "INSERT OR REPLACE INTO COFFER_STATE(name, value) VALUES('history_floor', ?1)")
        try statement.bind(number, at: 1)
        try statement.run()
    }

    /// The last transaction up to a number that Coffer wrote; 0 if there is none.
    private func lastOwnTransaction(upTo number: Int64) throws(SQLiteError) -> Int64 {
        let statement = try connection.cached(
            "SELECT ifnull(max(number), 0) FROM \(FixedTables.transactionTable) WHERE number <= ?1")
        defer { statement.reset() }
        try statement.bind(number, at: 1)
        return try statement.step() ? statement.int64(0) : 0
    }

    /// Makes history begin again, with a transaction without changes behind both the last one and `number`;
    /// inside the transaction.
    ///
    /// Every earlier token is too old then, even that of a reader that had read everything.
    func beginHistoryAnew(after number: UInt64, now: Double) throws(StoreError) -> UInt64 {
        guard number < Limits.historyNumber - Int64(Limits.reservedTransactions) else {
            throw .tooLarge("history has counted up to \(number)")
        }
        return try translating { () throws(SQLiteError) -> UInt64 in
            history.skip(to: number)
            let first = try history.begin(
                TransactionMessage(number: 0, timestamp: now, author: "org.coffer.replacement"))
            _ = try deleteHistory(upTo: Int64(clamping: first) - 1, isAll: true)
            try keepFloor(Int64(clamping: first))
            return first
        }
    }

    /// Gives the last replies of each client rows of their own before their transactions are deleted: the
    /// client may ask again, however late.
    private func keepReplies(upTo limit: Int64) throws(SQLiteError) {
        let keeping = try connection.cached(
            "INSERT OR REPLACE INTO COFFER_REQUEST(client, sequence, number, reply, timestamp) "
                + "SELECT client, sequence, number, reply, (SELECT ZTIMESTAMP FROM ATRANSACTION WHERE Z_PK = number) "
                + "FROM (SELECT *, row_number() OVER (PARTITION BY client ORDER BY number DESC) AS place "
                + "FROM \(FixedTables.transactionTable) WHERE number > ?1 AND number <= ?2 AND client IS NOT NULL) "
                + "WHERE place <= ?3")
        try keeping.bind(Int64(clamping: lastTransaction) - Limits.earlierTransactions, at: 1)
        try keeping.bind(limit, at: 2)
        try keeping.bind(Int64(Limits.requestsPerClient), at: 3)
        try keeping.run()
        try forgetOldReplies()
    }

    /// The oldest number that a token may have.
    package func historyFloor() throws(StoreError) -> UInt64 {
        try translating { () throws(SQLiteError) in try HistoryRetention.floor(of: file, on: connection) }
    }

    /// An application's consumers of history, by name; those of all applications if no application is
    /// named.
    ///
    /// `now` is the calendar's time, in which leases are reported.
    func consumers(of application: String?, now: Double) throws(StoreError) -> [HistoryConsumerMessage] {
        try translating { () throws(SQLiteError) in
            let ahead = now - (try retentionTime(now: now).time)
            let statement = try connection.cached(
                "SELECT application, name, acknowledged, lease FROM COFFER_CONSUMER "
                    + (application == nil ? "" : "WHERE application = ?1 ") + "ORDER BY name, application")
            if let application { try statement.bind(application, at: 1) }
            var consumers: [HistoryConsumerMessage] = []
            while try statement.step() {
                consumers.append(
                    HistoryConsumerMessage(
                        application: statement.text(0), name: statement.text(1),
                        acknowledged: UInt64(clamping: statement.int64(2)), lease: statement.double(3) + ahead
                    ))
            }
            return consumers
        }
    }
}
