internal import CofferSQLite
package import CofferWire

extension StoreWriter {
    /// What was written after transaction `number`, in the open transaction too; `nil` if history does not go
    /// back so far.
    package func transactions(since number: UInt64) throws(StoreError) -> [TransactionMessage]? {
        try historyReader().transactions(since: number)
    }

    /// Reads history, the open transaction included.
    package func historyReader() throws(StoreError) -> HistoryReader {
        try HistoryReader(connection: connection, file: file)
    }

    /// The keys of all objects of the leaf entity at a place in the model; empty if the store does not keep
    /// that entity.
    package func keys(ofEntityAt index: Int) throws(StoreError) -> [Int64] {
        try file.schema.keys(ofEntityAt: index, on: connection)
    }

    /// Empties columns of rows whose new values others still have, before all are written: rows that
    /// exchange unique values are never all in order in between.
    package func vacate(_ properties: [Int], ofEntityAt index: Int, _ keys: [Int64]) throws(StoreError) {
        guard let entity = file.schema.entities[index] else { return }
        for property in properties {
            let column: String
            switch entity.columns[property] {
            case .attribute(let name, _)?: column = name
            case .toOne(let name, _, _)?: column = name
            default: continue
            }
            try translating { () throws(SQLiteError) in
                let statement = try connection.prepare(
                    "UPDATE \(entity.table) SET \(column) = NULL "
                        + "WHERE Z_PK IN (SELECT value FROM json_each(?1))")
                try statement.bind(JSONList.text(keys), at: 1)
                try statement.run()
            }
        }
    }

    /// Writes when objects were saved last, in seconds since 2001, into an attribute that is derived by
    /// `now()`: nothing else of them changes, no version and no derived attribute.
    package func restoreTimes(
        _ times: [Int64: Double?], of property: Int, ofEntityAt index: Int
    ) throws(StoreError) {
        guard let entity = file.schema.entities[index],
            case .attribute(let column, _)? = entity.columns[property]
        else { return }
        try timed { () throws(StoreError) in
            try translating { () throws(SQLiteError) in
                let statement = try connection.cached(
                    "UPDATE \(entity.table) SET \(column) = ?2 WHERE Z_PK = ?1 AND \(column) IS NOT ?2")
                for (key, time) in times {
                    defer { statement.reset() }
                    try statement.bind(key, at: 1)
                    if let time { try statement.bind(time, at: 2) } else { try statement.bindNull(at: 2) }
                    try statement.run()
                }
            }
        }
    }
}
