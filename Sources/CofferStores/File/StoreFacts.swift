internal import CofferFormats
internal import CofferSQLite
internal import FoundationEssentials

/// What a store file says of itself, read before anything in it is trusted.
struct StoreFacts {
    var uuid: UUID
    var metadata: StoreMetadata
    var lastTransaction: UInt64
    var tables: Set<String>
    /// Whether names in its history are keys of a table of strings, or will be; otherwise they stand in the
    /// transactions, as Core Data 851 has them.
    var hasHistoryStrings: Bool { tables.contains("ATRANSACTIONSTRING") || !tables.contains("ACHANGE") }
    /// What in the schema can make SQLite compute something.
    var schema: SchemaItems

    /// Reads `Z_METADATA`.
    ///
    /// - Throws: `notAStore` if the tables of a store are missing, `damaged` if they hold nonsense.
    init(reading connection: SQLiteConnection, path: String) throws(StoreError) {
        let schema = try translating { () throws(SQLiteError) in try SchemaItems(reading: connection) }
        self.schema = schema
        if let name = schema.virtualName(among: FixedTables.names) {
            throw .damaged(path: path, detail: "\(name) is a view or virtual table, not a table")
        }
        if schema.unknownItem != nil { try Self.limit(connection) }
        tables = try translating { () throws(SQLiteError) in
            let statement = try connection.prepare(
                "SELECT name FROM sqlite_master WHERE type = 'table'")
            var names: Set<String> = []
            while try statement.step() { names.insert(statement.text(0)) }
            return names
        }
        guard tables.contains("Z_METADATA"), tables.contains("Z_PRIMARYKEY") else {
            throw .notAStore(path: path, detail: "it is a database without the tables of a store")
        }
        let (uuidText, list) = try translating { () throws(SQLiteError) in
            let statement = try connection.prepare("SELECT Z_UUID, Z_PLIST FROM Z_METADATA LIMIT 1")
            guard try statement.step() else { return ("", [UInt8]()) }
            return (statement.text(0), statement.blob(1))
        }
        guard let uuid = UUID(uuidString: uuidText) else {
            throw .damaged(path: path, detail: "Z_METADATA has no UUID")
        }
        self.uuid = uuid
        do throws(FormatError) {
            metadata = try StoreMetadata(propertyList: list)
        } catch {
            throw .damaged(path: path, detail: "\(error)")
        }
        let lastTransactionQuery = FixedTables.lastTransaction(hasHistory: tables.contains("ATRANSACTION"))
        lastTransaction = try translating { () throws(SQLiteError) in
            let statement = try connection.prepare(lastTransactionQuery)
            return try statement.step() ? UInt64(max(0, statement.int64(0))) : 0
        }
    }
}

extension StoreFacts {
    /// Keeps values small and statements short on a connection whose schema may do anything.
    private static func limit(_ connection: SQLiteConnection) throws(StoreError) {
        connection.limitValues(to: Limits.unknownValueBytes)
        let clock = StatementClock(limit: Limits.foreignSQLTime)
        clock.start()
        connection.follow(clock, isUnknown: true)
    }
}
