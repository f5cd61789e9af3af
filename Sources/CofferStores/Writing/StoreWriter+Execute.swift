internal import CofferSQLite
package import CofferWire
internal import FoundationEssentials

extension StoreWriter {
    /// Executes one save inside the transaction: whole, or not at all.
    ///
    /// - Parameters:
    ///   - save: What is wanted; nothing of it is trusted.
    ///   - origin: Who saves.
    /// - Returns: What to answer after the commit. Where the same request was applied before, its reply of then.
    /// - Throws: What makes the request impossible whatever the store holds (`unknownEntity`, `wrongType` …), or what the system
    ///   did not allow; then look at `isTransactionLost`.
    package func execute(_ save: SaveRequestMessage, by origin: SaveOrigin) throws(StoreError)
        -> SaveExecution
    {
        if save.request.isRetry, let known = try storedExecution(of: save.request) { return known }
        if save.isEmpty { return SaveExecution(reply: .saved(SavedMessage(number: lastTransaction))) }
        var execution = SaveExecution(reply: .conflicts([]))
        var isRepeated = false
        var resolution: ConstraintResolution? = ConstraintResolution()
        while let known = resolution {
            resolution = nil
            try withSavepoint { () throws(StoreError) in
                let run = SaveRun(save, by: origin, writer: self, resolution: known)
                execution = SaveExecution(reply: try run.run(), transaction: run.transaction)
                if run.hasLearned {
                    resolution = run.resolution
                    resolution?.round += 1
                    return false
                }
                guard case .saved(let saved) = execution.reply else { return false }
                guard save.request.sequence > 0 else { return true }
                execution.packedReply = try packed(saved)
                isRepeated = try !keep(
                    execution.packedReply ?? [], saved, for: save.request, at: origin.timestamp)
                return !isRepeated
            }
        }
        if case .saved = execution.reply, !isRepeated { return execution }
        if let known = try storedExecution(of: save.request) { return known }
        return SaveExecution(reply: execution.reply)
    }
}

extension StoreWriter {
    /// The reply to a request that was applied before.
    private func storedExecution(of request: RequestIDMessage) throws(StoreError) -> SaveExecution? {
        guard request.sequence > 0 else { return nil }
        let bytes = try translating { () throws(SQLiteError) -> [UInt8]? in
            let statement = try connection.cached(
                "SELECT reply FROM COFFER_REQUEST WHERE client = ?1 AND sequence = ?2")
            try statement.bind(request.client.bytes, at: 1)
            try statement.bind(Int64(bitPattern: request.sequence), at: 2)
            // Left on its row it would keep a read transaction open after the commit, and no checkpoint could run.
            guard try statement.step() else { return nil }
            defer { statement.reset() }
            return statement.blob(0)
        }
        guard let bytes else { return nil }
        do throws(WireError) {
            return SaveExecution(reply: try SaveReplyMessage(packed: bytes), packedReply: bytes)
        } catch {
            throw .damaged(path: file.path, detail: "a kept reply cannot be read")
        }
    }

    private func packed(_ saved: SavedMessage) throws(StoreError) -> [UInt8] {
        do throws(WireError) {
            return try SaveReplyMessage.saved(saved).packed()
        } catch {
            throw .tooLarge("the reply to the save")
        }
    }

    /// Keeps a packed reply until its client has it; `false` where the request was applied before.
    private func keep(
        _ reply: [UInt8], _ saved: SavedMessage, for request: RequestIDMessage, at timestamp: Double
    ) throws(StoreError) -> Bool {
        do throws(SQLiteError) {
            try sweepReplies(of: request, now: timestamp)
            let statement = try connection.cached(
                "INSERT INTO COFFER_REQUEST(client, sequence, number, reply, timestamp) VALUES(?1, ?2, ?3, ?4, ?5)"
            )
            try statement.bind(request.client.bytes, at: 1)
            try statement.bind(Int64(bitPattern: request.sequence), at: 2)
            try statement.bind(Int64(bitPattern: saved.number), at: 3)
            try statement.bind(reply, at: 4)
            try statement.bind(timestamp, at: 5)
            try statement.run()
            return true
        } catch .constraint {
            return false
        } catch {
            throw StoreError(error)
        }
    }

    /// Forgets, now and then, replies that their client has, and those that nobody asked for in a day.
    private func sweepReplies(of request: RequestIDMessage, now: Double) throws(SQLiteError) {
        savesSinceSweep += 1
        guard savesSinceSweep >= 16 else { return }
        savesSinceSweep = 0
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

extension SaveRequestMessage {
    /// Whether it changes nothing.
    var isEmpty: Bool {
        inserts.allSatisfy(\.temporaryIDs.isEmpty) && updates.allSatisfy(\.primaryKeys.isEmpty)
            && deletes.allSatisfy(\.primaryKeys.isEmpty) && setChanges.allSatisfy(\.owners.isEmpty)
            && (batch.map { $0.updates.isEmpty && $0.deletes.isEmpty } ?? true)
    }
}

extension UUID {
    /// The 16 bytes.
    var bytes: [UInt8] {
        let b = uuid
        return [b.0, b.1, b.2, b.3, b.4, b.5, b.6, b.7, b.8, b.9, b.10, b.11, b.12, b.13, b.14, b.15]
    }
}
