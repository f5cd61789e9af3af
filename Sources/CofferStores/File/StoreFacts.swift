internal import CofferFormats
internal import CofferSQLite
internal import FoundationEssentials

/// What a store file says of itself, read before anything is trusted.
struct StoreFacts {
    var uuid: UUID
    var metadata: StoreMetadata
    var lastTransaction: UInt64
    var tables: Set<String>
    /// Whether ATRANSACTION says where the changes of a transaction begin.
    var hasHistoryPlaces: Bool
    /// The texts of the triggers by their names, those that keep r-trees not among them.
    var triggers: [String: String]
    /// Whether there are triggers that keep r-trees.
    let hasRTrees: Bool

    /// Reads `Z_METADATA`.
    ///
    /// - Throws: `notAStore` where the tables of a store are missing, `damaged` where they hold nonsense.
    init(reading connection: SQLiteConnection, path: String) throws(StoreError) {
        (triggers, hasRTrees) = try Self.triggers(on: connection)
        tables = try translating { () throws(SQLiteError) in
            let statement = try connection.prepare(
                "SELECT name FROM sqlite_master WHERE type = 'table'")
            var names: Set<String> = []
            while try statement.step() { names.insert(statement.text(0)) }
            return names
        }
        hasHistoryPlaces = try translating { () throws(SQLiteError) in
            try StoreCreation.hasPlaceColumn(on: connection)
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
    /// The texts of a file's triggers by their names but for those that keep r-trees, and whether there are such.
    static func triggers(
        on connection: SQLiteConnection
    ) throws(StoreError) -> (others: [String: String], hasRTrees: Bool) {
        let triggers = try texts(of: "type = 'trigger'", on: connection)
        if triggers.isEmpty { return ([:], false) }
        let virtual = try texts(of: "type = 'table' AND sql LIKE 'CREATE VIRTUAL %'", on: connection)
        let trees = RTreeTriggers(virtualTables: virtual)
        let others = triggers.filter { !trees.contains($0.key, $0.value) }
        return (others, others.count < triggers.count)
    }

    private static func texts(
        of condition: String, on connection: SQLiteConnection
    ) throws(StoreError) -> [String: String] {
        try translating { () throws(SQLiteError) in
            let statement = try connection.prepare("SELECT name, sql FROM sqlite_master WHERE \(condition)")
            var texts: [String: String] = [:]
            while try statement.step() { texts[statement.text(0)] = statement.text(1) }
            return texts
        }
    }
}

extension StoreMetadata {
    private static let entriesKey = "CofferMetadata"

    /// What applications have noted, by key.
    package var entries: [String: String] {
        get { (other[Self.entriesKey]?.dictionary ?? [:]).compactMapValues(\.string) }
        set {
            other[Self.entriesKey] =
                newValue.isEmpty ? nil : .dictionary(newValue.mapValues { .string($0) })
        }
    }
}
