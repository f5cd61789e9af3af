internal import CofferSQLite

/// Notices that another program has changed the schema of a file that is open for writing.
///
/// Confined with the connection that writes.
final class SchemaWatch {
    private let connection: SQLiteConnection
    private let statement: SQLiteStatement
    private var known: Int64

    init(_ connection: SQLiteConnection) throws(SQLiteError) {
        self.connection = connection
        statement = try connection.prepare("PRAGMA schema_version")
        known = try Self.version(statement)
    }

    /// Reads the schema again if it has changed; inside a write transaction, so that it stays as it is.
    ///
    /// - Throws: `unknownSQL` if something was added that may run without end, or that runs and was not there
    ///   when the store was opened. Nothing may be written then.
    func check(_ file: StoreFile) throws(StoreError) {
        let version = try translating { () throws(SQLiteError) in try Self.version(statement) }
        if version == known { return }
        let items = try translating { () throws(SQLiteError) in try SchemaItems(reading: connection) }
        let trust = items.trust(of: file.schema)
        if let item = trust.unknownItem { throw .unknownSQL(path: file.path, item: item) }
        if trust == .bounded, file.trust == .known {
            let names = file.schema.foreignTriggers(among: items.triggers).sorted()
            throw .unknownSQL(path: file.path, item: "trigger '\(names.first ?? "")'")
        }
        known = version
    }

    private static func version(_ statement: SQLiteStatement) throws(SQLiteError) -> Int64 {
        defer { statement.reset() }
        return try statement.step() ? statement.int64(0) : 0
    }
}
