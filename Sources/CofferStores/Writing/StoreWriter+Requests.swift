internal import CofferSQLite
internal import CofferWire
internal import FoundationEssentials

// Where a reply is kept for a client that asks again: a short one in our row of its transaction, which is
// written anyway; a long one, and one without a transaction, in COFFER_REQUEST. Keeping all of them in that
// table would mean one more page to flush for every save.

extension StoreWriter {
    /// The reply to a request that was applied before and is sent again.
    ///
    /// - Throws: `StoreError.requestUsed` if the number was used before and the sender does not know that:
    ///   the sender means another save by that number.
    func knownExecution(of request: RequestIDMessage) throws(StoreError) -> SaveExecution? {
        guard request.sequence > 0 else { return nil }
        guard request.isRetry else {
            if requests.number(of: request) == nil, !requests.isAcknowledged(request) { return nil }
            throw .requestUsed(sequence: request.sequence)
        }
        try loadEarlier(request.client)
        var packed: [UInt8]?
        if let number = requests.number(of: request) { packed = try reply(ofTransaction: number, request) }
        if packed == nil { packed = try separateReply(to: request) }
        guard let packed else {
            // Its reply is not kept, since its client has it.
            if requests.isAcknowledged(request) { throw .requestUsed(sequence: request.sequence) }
            return nil
        }
        do throws(WireError) {
            return SaveExecution(reply: try SaveReplyMessage(packed: packed), packedReply: packed)
        } catch {
            throw .damaged(path: file.path, detail: "a kept reply cannot be read")
        }
    }

    /// Stores a reply that no transaction's row holds; returns `false` if the request was applied before.
    func storeSeparately(
        _ packed: [UInt8], number: UInt64, for request: RequestIDMessage, at timestamp: Double
    ) throws(StoreError) -> Bool {
        try translating { () throws(SQLiteError) in
            try sweepSeparateReplies(of: request)
            let statement = try connection.cached(
                "INSERT INTO COFFER_REQUEST(client, sequence, number, reply, timestamp) VALUES(?1, ?2, ?3, ?4, ?5)"
            )
            try statement.bind(request.client, at: 1)
            try statement.bind(Int64(bitPattern: request.sequence), at: 2)
            try statement.bind(Int64(bitPattern: number), at: 3)
            try statement.bind(packed, at: 4)
            try statement.bind(timestamp, at: 5)
            return try statement.runUnlessForbidden() == nil
        }
    }
}

extension StoreWriter {
    /// Finds, when a client first asks again, which of its requests earlier writers applied.
    ///
    /// A client asks about requests that were in progress when its service ended, and these are among the
    /// last transactions before this writer: a fixed number of them is read, however many have come since.
    private func loadEarlier(_ client: UUID) throws(StoreError) {
        if requests.knowsEarlier(client) { return }
        let end = requests.hasForgotten ? lastTransaction : openingTransaction
        let numbers = try translating { () throws(SQLiteError) in
            let statement = try connection.cached(
                "SELECT sequence, number FROM \(FixedTables.transactionTable) "
                    + "WHERE number > ?1 AND number <= ?2 AND client = ?3")
            try statement.bind(Int64(clamping: openingTransaction) - Limits.earlierTransactions, at: 1)
            try statement.bind(Int64(clamping: end), at: 2)
            try statement.bind(client, at: 3)
            defer { statement.reset() }
            var numbers: [UInt64: UInt64] = [:]
            while try statement.step() {
                numbers[UInt64(bitPattern: statement.int64(0))] = UInt64(clamping: statement.int64(1))
            }
            return numbers
        }
        requests.recordEarlier(numbers, of: client)
    }

    /// The reply that a transaction's row holds; if history was purged meanwhile, the reply was moved.
    private func reply(
        ofTransaction number: UInt64, _ request: RequestIDMessage
    ) throws(StoreError) -> [UInt8]? {
        let kept = try translating { () throws(SQLiteError) -> [UInt8]? in
            // A number that was found inside a transaction may be reused for another transaction after a
            // rollback.
            let statement = try connection.cached(
                "SELECT reply FROM \(FixedTables.transactionTable) WHERE number = ?1 AND client = ?2 AND sequence = ?3"
            )
            try statement.bind(Int64(clamping: number), at: 1)
            try statement.bind(request.client, at: 2)
            try statement.bind(Int64(bitPattern: request.sequence), at: 3)
            defer { statement.reset() }
            guard try statement.step(), statement.type(0) == .blob else { return nil }
            return statement.blob(0)
        }
        return if let kept { kept } else { try separateReply(to: request) }
    }

    private func separateReply(to request: RequestIDMessage) throws(StoreError) -> [UInt8]? {
        try translating { () throws(SQLiteError) -> [UInt8]? in
            let statement = try connection.cached(
                "SELECT reply FROM COFFER_REQUEST WHERE client = ?1 AND sequence = ?2")
            try statement.bind(request.client, at: 1)
            try statement.bind(Int64(bitPattern: request.sequence), at: 2)
            // A statement left on its row would keep a read transaction open after the commit, and no
            // checkpoint could run.
            guard try statement.step() else { return nil }
            defer { statement.reset() }
            return statement.blob(0)
        }
    }

    /// From time to time deletes replies that their clients have, and all but the last few of each client.
    private func sweepSeparateReplies(of request: RequestIDMessage) throws(SQLiteError) {
        repliesSinceSweep += 1
        guard repliesSinceSweep >= Limits.repliesPerSweep else { return }
        repliesSinceSweep = 0
        let acknowledged = try connection.cached(
            "DELETE FROM COFFER_REQUEST WHERE client = ?1 AND sequence <= max(?2, ifnull((SELECT sequence "
                + "FROM COFFER_REQUEST WHERE client = ?1 ORDER BY sequence DESC LIMIT 1 OFFSET ?3), ?2))")
        try acknowledged.bind(request.client, at: 1)
        try acknowledged.bind(Int64(bitPattern: request.acknowledged), at: 2)
        try acknowledged.bind(Int64(Limits.requestsPerClient), at: 3)
        try acknowledged.run()
    }

    /// Deletes replies with rows of their own that are older than any that is looked for, or exceed what all
    /// together may take.
    func forgetOldReplies() throws(SQLiteError) {
        let old = try connection.cached(
            "DELETE FROM COFFER_REQUEST WHERE number <= ?1 OR (client, sequence) IN (SELECT client, sequence FROM (SELECT "
                + "client, sequence, sum(length(reply)) OVER (ORDER BY number DESC, client, sequence) AS bytes "
                + "FROM COFFER_REQUEST) WHERE bytes > ?2)")
        try old.bind(Int64(clamping: lastTransaction) - Limits.earlierTransactions, at: 1)
        try old.bind(Int64(Limits.keptReplyBytes), at: 2)
        try old.run()
    }
}

extension SQLiteStatement {
    /// Binds the 16 bytes of a UUID.
    func bind(_ value: UUID, at index: Int) throws(SQLiteError) {
        let b = value.uuid
        let bytes: [16 of UInt8] = [
            b.0, b.1, b.2, b.3, b.4, b.5, b.6, b.7, b.8, b.9, b.10, b.11, b.12, b.13, b.14, b.15,
        ]
        try bindBlob(bytes.span, at: index)
    }
}
