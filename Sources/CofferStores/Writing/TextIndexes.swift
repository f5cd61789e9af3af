internal import CofferModel
internal import CofferSQLite

/// The full-text indexes of a file, on one connection that writes.
///
/// Confined with the connection.
final class TextIndexes {
    private let indexes: [TextIndex]
    private let connection: SQLiteConnection
    private let functions = SQLFunctions()
    private var isRegistered = false

    /// Keeps `indexes` of the file that `connection` is open on; they need not exist yet.
    init(_ indexes: [TextIndex], on connection: SQLiteConnection) {
        self.indexes = indexes
        self.connection = connection
    }

    /// Creates the indexes that the file lacks, drops those that the model no longer asks for, and adds what
    /// others wrote; inside a transaction.
    ///
    /// If this SQLite has no FTS5, nothing is done, and queries do without the indexes.
    /// - Complexity: O(rows) for a new index, otherwise O(what others wrote).
    func prepare() throws(SQLiteError) {
        guard try Self.hasFTS5(connection) else { return }
        let known = try Self.states(on: connection)
        for (table, state) in known where !indexes.contains(where: { $0.table == table && $0.state == state })
        {
            // A name that comes from the file is not put into any other SQL.
            if table.isPlainName {
                for statement in TextIndex(table: table, state: state).removal {
                    try connection.execute(statement)
                }
            }
            let forget = try connection.prepare("DELETE FROM COFFER_STATE WHERE name = ?1")
            try forget.bind(TextIndex.statePrefix + table, at: 1)
            try forget.run()
        }
        for index in indexes where known[index.table] != index.state {
            for statement in index.removal + index.creation { try connection.execute(statement) }
            for trigger in index.triggers { try connection.execute(trigger.sql) }
            try connection.execute(index.requeueing)
            let insertion = try connection.prepare("INSERT INTO COFFER_STATE(name, value) VALUES(?1, ?2)")
            try insertion.bind(index.stateName, at: 1)
            try insertion.bind(index.state, at: 2)
            try insertion.run()
        }
        try drain()
    }

    /// Adds to the indexes what a save wrote, in a savepoint of its own.
    ///
    /// - Complexity: One page read for each index if nothing waits.
    func drain() throws(SQLiteError) {
        for index in indexes {
            let waiting = try connection.cached("SELECT 1 FROM \(index.queue) LIMIT 1")
            let isWaiting = try waiting.step()
            waiting.reset()
            guard isWaiting else { continue }
            if !isRegistered {
                try functions.register(on: connection)
                isRegistered = true
            }
            for statement in index.draining { try connection.cached(statement).run() }
        }
    }
}

extension TextIndexes {
    /// Drops the index of a table, if it has one.
    static func remove(of table: String, on connection: SQLiteConnection) throws(SQLiteError) {
        guard let state = try states(on: connection)[table] else { return }
        for statement in TextIndex(table: table, state: state).removal { try connection.execute(statement) }
        let forget = try connection.prepare("DELETE FROM COFFER_STATE WHERE name = ?1")
        try forget.bind(TextIndex.statePrefix + table, at: 1)
        try forget.run()
    }

    /// The indexes of `wanted` that a file has; none if this SQLite cannot read them.
    static func usable(
        _ wanted: [TextIndex], on connection: SQLiteConnection
    ) throws(SQLiteError) -> [TextIndex] {
        if wanted.isEmpty { return [] }
        guard try hasFTS5(connection) else { return [] }
        let states = try states(on: connection)
        return wanted.filter { states[$0.table] == $0.state }
    }

    private static func hasFTS5(_ connection: SQLiteConnection) throws(SQLiteError) -> Bool {
        try connection.prepare("SELECT 1 FROM pragma_module_list WHERE name = 'fts5'").step()
    }

    /// The states of the file's indexes by the names of their tables.
    private static func states(on connection: SQLiteConnection) throws(SQLiteError) -> [String: String] {
        guard try connection.hasTable("COFFER_STATE") else { return [:] }
        let statement = try connection.prepare(
            "SELECT name, value FROM COFFER_STATE WHERE name GLOB '\(TextIndex.statePrefix)*'")
        var states: [String: String] = [:]
        while try statement.step() {
            states[String(statement.text(0).dropFirst(TextIndex.statePrefix.count))] = statement.text(1)
        }
        return states
    }
}
