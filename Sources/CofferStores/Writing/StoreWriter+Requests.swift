internal import CofferSQLite
internal import CofferWire
internal import FoundationEssentials

// Where a reply is kept for a client that asks again: a short one in the row of its transaction, which is written anyway; a long one,
// and one without a transaction, in COFFER_REQUEST. A table of its own for all would be one page more for every save to flush.

extension StoreWriter {
    /// The reply to a request that was applied before.
    func knownExecution(of request: RequestIDMessage, now: Double) throws(StoreError) -> SaveExecution? {
        guard request.sequence > 0 else { return nil }
        var packed = requests.reply(to: request)
        if packed == nil, request.isRetry {
            try loadEarlierRequests(now: now)
            packed = requests.reply(to: request)
            if packed == nil { packed = try separateReply(to: request) }
        }
        guard let packed else { return nil }
        do throws(WireError) {
            return SaveExecution(reply: try SaveReplyMessage(packed: packed), packedReply: packed)
        } catch {
            throw .damaged(path: file.path, detail: "a kept reply cannot be read")
        }
    }

    /// Keeps a reply that no transaction's row holds; `false` where the request was applied before.
    func keepSeparately(
        _ packed: [UInt8], number: UInt64, for request: RequestIDMessage, at timestamp: Double
    ) throws(StoreError) -> Bool {
        do throws(SQLiteError) {
            try sweepSeparateReplies(of: request, now: timestamp)
            let statement = try connection.cached(
                "INSERT INTO COFFER_REQUEST(client, sequence, number, reply, timestamp) VALUES(?1, ?2, ?3, ?4, ?5)"
            )
            try statement.bind(request.client.bytes, at: 1)
            try statement.bind(Int64(bitPattern: request.sequence), at: 2)
            try statement.bind(Int64(bitPattern: number), at: 3)
            try statement.bind(packed, at: 4)
            try statement.bind(timestamp, at: 5)
            try statement.run()
            return true
        } catch .constraint {
            return false
        } catch {
            throw StoreError(error)
        }
    }
}

extension StoreWriter {
    /// Reads once what earlier writers answered, from the newest of their transactions.
    ///
    /// A client asks again about what was under way when its service ended, so that the newest are enough.
    private func loadEarlierRequests(now: Double) throws(StoreError) {
        if hasEarlierRequests { return }
        try translating { () throws(SQLiteError) in
            let (client, sequence, reply) = FixedTables.requestColumns
            let statement = try connection.cached(
                "SELECT \(client), \(sequence), \(reply), ZTIMESTAMP FROM ATRANSACTION "
                    + "WHERE Z_PK > (SELECT max(Z_PK) FROM ATRANSACTION) - \(Limits.earlierRequests) "
                    + "AND \(client) IS NOT NULL AND ZTIMESTAMP >= ?1 ORDER BY Z_PK")
            try statement.bind(now - Limits.requestAge, at: 1)
            defer { statement.reset() }
            while try statement.step() {
                guard let client = UUID(bytes: statement.blob(0)) else { continue }
                let request = RequestIDMessage(
                    client: client, sequence: UInt64(bitPattern: statement.int64(1)), acknowledged: 0)
                requests.noteEarlier(statement.blob(2), to: request, at: statement.double(3))
            }
        }
        hasEarlierRequests = true
    }

    private func separateReply(to request: RequestIDMessage) throws(StoreError) -> [UInt8]? {
        try translating { () throws(SQLiteError) -> [UInt8]? in
            let statement = try connection.cached(
                "SELECT reply FROM COFFER_REQUEST WHERE client = ?1 AND sequence = ?2")
            try statement.bind(request.client.bytes, at: 1)
            try statement.bind(Int64(bitPattern: request.sequence), at: 2)
            // Left on its row it would keep a read transaction open after the commit, and no checkpoint could run.
            guard try statement.step() else { return nil }
            defer { statement.reset() }
            return statement.blob(0)
        }
    }

    /// Forgets, now and then, replies that their client has, and those that nobody asked for in a day.
    private func sweepSeparateReplies(of request: RequestIDMessage, now: Double) throws(SQLiteError) {
        repliesSinceSweep += 1
        guard repliesSinceSweep >= Limits.repliesPerSweep else { return }
        repliesSinceSweep = 0
        let acknowledged = try connection.cached(
            "DELETE FROM COFFER_REQUEST WHERE client = ?1 AND sequence <= ?2")
        try acknowledged.bind(request.client.bytes, at: 1)
        try acknowledged.bind(Int64(bitPattern: request.acknowledged), at: 2)
        try acknowledged.run()
        let old = try connection.cached("DELETE FROM COFFER_REQUEST WHERE timestamp < ?1")
        try old.bind(now - Limits.requestAge, at: 1)
        try old.run()
    }
}

extension UUID {
    /// The 16 bytes.
    var bytes: [UInt8] {
        let b = uuid
        return [b.0, b.1, b.2, b.3, b.4, b.5, b.6, b.7, b.8, b.9, b.10, b.11, b.12, b.13, b.14, b.15]
    }

    /// A UUID of 16 bytes; `nil` for any other number of them.
    init?(bytes b: [UInt8]) {
        guard b.count == 16 else { return nil }
        self.init(
            uuid: (
                b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7], b[8], b[9], b[10], b[11], b[12], b[13], b[14],
                b[15]
            ))
    }
}
