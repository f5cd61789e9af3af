internal import CofferModel
internal import CofferSQLite

/// One state of a store, from which a copy is made while others write.
///
/// Confined. Nothing is written; the files of values that the state names stay until it goes.
final class CopySource {
    let file: StoreFile
    let connection: SQLiteConnection
    /// What the store says of itself, and which tables it has.
    let facts: StoreFacts
    private let read: UInt64?

    init(_ file: StoreFile) throws(StoreError) {
        self.file = file
        read = file.externalReads?.begin()
        do throws(StoreError) {
            let connection = try file.makeReader()
            try translating { () throws(SQLiteError) in try connection.begin(.deferred) }
            facts = try StoreFacts(reading: connection, path: file.path)
            self.connection = connection
        } catch {
            if let read { file.externalReads?.end(read) }
            throw error
        }
    }

    deinit {
        if let read { file.externalReads?.end(read) }
    }

    /// How many rows a table has.
    func count(_ table: String) throws(StoreError) -> Int {
        try number("SELECT count(*) FROM \(table)").map { Int($0) } ?? 0
    }

    /// The one number that a statement gives; `nil` if it gives none.
    func number(_ sql: String) throws(StoreError) -> Int64? {
        try translating { () throws(SQLiteError) in
            let statement = try connection.prepare(sql)
            guard try statement.step(), !statement.isNull(0) else { return nil }
            return statement.int64(0)
        }
    }

    /// The last key that was given out in each tree, or is used in it, by the name of its root.
    func lastKeys() throws(StoreError) -> [String: Int64] {
        var keys: [String: Int64] = [:]
        let model = file.schema.model
        for table in file.schema.tables {
            let number = file.schema.numbers[table.root]
            let sql =
                "SELECT max(ifnull((SELECT max(Z_PK) FROM \(table.name)), 0), "
                + "ifnull((SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = \(number)), 0))"
            keys[model.entities[table.root].name] = max(0, try self.number(sql) ?? 0)
        }
        return keys
    }

    /// The columns of a table of `connection`.
    static func columns(of table: String, on connection: SQLiteConnection) throws(SQLiteError) -> [String] {
        let statement = try connection.prepare("SELECT name FROM pragma_table_info(?1)")
        try statement.bind(table, at: 1)
        var names: [String] = []
        while try statement.step() { names.append(statement.text(0)) }
        return names
    }
}
