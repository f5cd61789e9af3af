internal import CSQLite

/// An open database file.
///
/// Confined, with its statements, to one thread at a time; SQLite takes no lock for it. The file closes when
/// the connection and all of its statements are gone.
@safe package final class SQLiteConnection {
    /// What a connection may do with its file.
    package enum Mode: Sendable {
        /// Read, write, and make the file if it is missing.
        case readWriteCreate
        /// Read and write.
        case readWrite
        /// Read only.
        case readOnly
    }

    /// What may differ between connections.
    package struct Options: Sendable {
        /// Whether functions and virtual tables of the schema are trusted; needed for r-tree and full-text
        /// triggers.
        package var trustsSchema = false
        /// Longest text, blob or row in bytes, at most 1,000,000,000.
        package var maximumValueBytes = Limits.valueBytes
        /// Statements that `cached(_:)` keeps compiled.
        package var cachedStatements = Limits.cachedStatements

        package init() {}
    }

    let database: SQLiteDatabase
    private var statements: StatementCache
    private var dataVersionStatement: SQLiteStatement?

    /// Opens the file at `path`, hardened against a hostile schema.
    ///
    /// - Parameters:
    ///   - path: A path as the file system has it, or `:memory:`; file URIs are refused.
    ///   - name: What errors call the file, if they need not show the whole path.
    ///   - folder: What owns the descriptor that the path leads through, if it is one of `/proc/self/fd`;
    ///     it is kept until the file is closed. The last connection that closes a file removes its log by
    ///     that path, which would lead into another folder if the number had been given out again. Without
    ///     a folder, such a path is refused.
    ///   - mode: What the connection may do.
    ///   - vfs: Ours, or `nil` for SQLite's own, which follows links.
    ///   - options: What may differ between connections.
    /// - Throws: `cannotOpen`, and what else opening met; a file that is not a database is noticed at its
    ///   first use.
    package init(
        path: String, name: String? = nil, keeping folder: (any AnyObject & Sendable)? = nil,
        mode: Mode = .readWriteCreate, vfs: SQLiteVFS? = nil, options: Options = Options()
    ) throws(SQLiteError) {
        let access =
            switch mode {
            case .readWriteCreate: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
            case .readWrite: SQLITE_OPEN_READWRITE
            case .readOnly: SQLITE_OPEN_READONLY
            }
        let flags = access | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE | SQLITE_OPEN_PRIVATECACHE
        database = try SQLiteDatabase(
            path: path, name: name ?? path, keeping: folder, flags: flags, vfs: vfs)
        statements = StatementCache(capacity: options.cachedStatements)
        try harden(options)
    }

    /// The path that the connection was opened with, or the name that it got instead of it.
    package var path: String { database.path }

    /// Whether no transaction is open, be it that none was begun or that an error ended it.
    package var isAutocommit: Bool { unsafe sqlite3_get_autocommit(database.handle) != 0 }

    /// Whether the file was opened for reading only, by wish or by its permissions.
    package var isReadOnly: Bool { unsafe sqlite3_db_readonly(database.handle, "main") == 1 }

    /// Rows that the last INSERT, UPDATE or DELETE changed, triggers not counted.
    package var changes: Int { unsafe Int(sqlite3_changes64(database.handle)) }

    /// Rows changed since the connection was opened, triggers included.
    package var totalChanges: Int { unsafe Int(sqlite3_total_changes64(database.handle)) }

    /// Moves whenever a statement may have changed rows: also with one that fails, of which SQLite counts
    /// none, though it leaves those that were changed before, say, a sum in a trigger had more than 64 bits.
    package var writeCount: Int { totalChanges + database.failedWrites }

    /// Stops this connection's statements from other threads; for readers only.
    package var interruptHandle: SQLiteInterruptHandle { database.interruptHandle }

    /// How often `cached(_:)` found its statement compiled, and how often not.
    package var statementCacheCounts: (hits: Int, misses: Int) { (statements.hits, statements.misses) }

    /// How many statements are compiled, whatever code keeps them.
    package var compiledStatementCount: Int {
        var count = 0
        var statement = unsafe sqlite3_next_stmt(database.handle, nil)
        while unsafe statement != nil {
            count += 1
            unsafe statement = sqlite3_next_stmt(database.handle, statement)
        }
        return count
    }

    /// A number that moves when another connection has changed the file.
    package func dataVersion() throws(SQLiteError) -> Int64 {
        let statement: SQLiteStatement
        if let kept = dataVersionStatement {
            statement = kept
        } else {
            statement = try prepare("PRAGMA data_version")
            dataVersionStatement = statement
        }
        defer { statement.reset() }
        return try statement.step() ? statement.int64(0) : 0
    }

    /// A number that moves when any connection has changed the file, this one included; asked inside a
    /// transaction it is true of it.
    ///
    /// Cheaper than `dataVersion()`: no statement runs.
    package var cacheVersion: UInt32 {
        var version: UInt32 = 0
        unsafe sqlite3_file_control(database.handle, "main", SQLITE_FCNTL_DATA_VERSION, &version)
        return version
    }

    /// Runs the statements of `sql`, without parameters, and ignores their rows.
    package func execute(_ sql: String) throws(SQLiteError) {
        let code = unsafe sqlite3_exec(database.handle, sql, nil, nil, nil)
        guard code == SQLITE_OK else {
            database.failedWrites += 1
            throw database.error(code, sql: sql)
        }
    }

    /// Compiles `sql`, which holds exactly one statement.
    package func prepare(_ sql: String) throws(SQLiteError) -> SQLiteStatement {
        try SQLiteStatement(sql, on: database)
    }

    /// Whether the file has a table, or anything else of its schema, of that name.
    package func hasTable(_ name: String) throws(SQLiteError) -> Bool {
        let statement = try cached("SELECT 1 FROM sqlite_master WHERE name = ?1")
        defer { statement.reset() }
        try statement.bind(name, at: 1)
        return try statement.step()
    }

    /// The compiled form of `sql`, kept for the next time; reset, with all parameters null.
    ///
    /// If an earlier caller still holds it, another is compiled: a caller that keeps a statement for long
    /// uses `prepare(_:)` instead.
    package func cached(_ sql: String) throws(SQLiteError) -> SQLiteStatement {
        if let statement = statements.free(sql) { return statement }
        let statement = try prepare(sql)
        statements.insert(statement)
        return statement
    }

    /// Forgets all compiled statements that no caller holds.
    package func emptyStatementCache() {
        statements.removeAll()
        dataVersionStatement = nil
    }
}
