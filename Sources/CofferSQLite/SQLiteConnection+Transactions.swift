internal import CSQLite

extension SQLiteConnection {
    /// How a transaction begins.
    package enum TransactionKind: String, Sendable {
        /// Takes locks as they are needed; for reading only.
        case deferred = "BEGIN DEFERRED"
        /// Takes the write lock at once, so that it cannot go stale; for writing.
        case immediate = "BEGIN IMMEDIATE"
        /// Shuts out readers too, outside WAL mode.
        case exclusive = "BEGIN EXCLUSIVE"
    }

    /// Begins a transaction.
    package func begin(_ kind: TransactionKind = .immediate) throws(SQLiteError) {
        try cached(kind.rawValue).run()
    }

    /// Commits; the transaction stays open if it throws `busy`.
    package func commit() throws(SQLiteError) {
        try cached("COMMIT").run()
    }

    /// Takes back the whole transaction; does nothing if an error has ended it already.
    package func rollback() throws(SQLiteError) {
        if isAutocommit { return }
        try cached("ROLLBACK").run()
    }

    /// Opens a savepoint, and a transaction if none is open.
    package func savepoint(_ name: String) throws(SQLiteError) {
        try cached("SAVEPOINT " + quoted(name)).run()
    }

    /// Keeps what was done since the savepoint, and closes it.
    package func release(_ name: String) throws(SQLiteError) {
        try cached("RELEASE " + quoted(name)).run()
    }

    /// Takes back what was done since the savepoint, which stays open.
    package func rollback(to name: String) throws(SQLiteError) {
        try cached("ROLLBACK TO " + quoted(name)).run()
    }

    private func quoted(_ name: String) -> String {
        guard name.utf8.contains(UInt8(ascii: "\"")) else { return "\"" + name + "\"" }
        let parts = name.split(separator: "\"", omittingEmptySubsequences: false)
        return "\"" + parts.joined(separator: "\"\"") + "\""
    }
}
