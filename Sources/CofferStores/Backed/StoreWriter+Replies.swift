internal import CofferFormats
internal import CofferSQLite

// What saves were answered is kept in a store's file, so that a save that is sent again after a crash is not
// applied twice.

extension StoreWriter {
    /// What the last saves were answered, newest first: client, sequence, number and packed reply of each.
    func latestReplies() throws(StoreError) -> [PropertyListValue] {
        try translating { () throws(SQLiteError) in
            let statement = try connection.cached(
                "SELECT client, sequence, number, reply FROM \(FixedTables.transactionTable) "
                    + "WHERE client IS NOT NULL AND reply IS NOT NULL UNION ALL "
                    + "SELECT client, sequence, number, reply FROM COFFER_REQUEST "
                    + "ORDER BY 3 DESC LIMIT \(Limits.atomicReplies)")
            defer { statement.reset() }
            var replies: [PropertyListValue] = []
            var byteCount = 0
            while try statement.step() {
                let reply = statement.blob(3)
                byteCount += reply.count
                // The newest reply may be one that no client has received; more would be written with each
                // save.
                if byteCount > Limits.atomicReplyBytes, !replies.isEmpty { break }
                replies.append(
                    .array([
                        .data(statement.blob(0)), .integer(statement.int64(1)), .integer(statement.int64(2)),
                        .data(reply),
                    ]))
            }
            return replies
        }
    }

    /// Takes over what saves of before were answered; inside the transaction.
    func keep(_ replies: [PropertyListValue], at now: Double) throws(StoreError) {
        try translating { () throws(SQLiteError) in
            let statement = try connection.prepare(
                "INSERT OR REPLACE INTO COFFER_REQUEST(client, sequence, number, reply, timestamp) "
                    + "VALUES(?1, ?2, ?3, ?4, ?5)")
            for reply in replies.prefix(Limits.atomicReplies) {
                guard let fields = reply.array, fields.count == 4, let client = fields[0].data,
                    client.count == 16, let sequence = fields[1].integer, let number = fields[2].integer,
                    let packed = fields[3].data
                else { continue }
                try statement.bind(client, at: 1)
                try statement.bind(sequence, at: 2)
                try statement.bind(number, at: 3)
                try statement.bind(packed, at: 4)
                try statement.bind(now, at: 5)
                try statement.run()
            }
        }
    }
}
