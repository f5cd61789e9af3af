internal import CSQLite

extension SQLiteConnection {
    /// Takes away what a hostile file could use, and what a store never needs.
    func harden(_ options: Options) throws(SQLiteError) {
        try configure(SQLITE_DBCONFIG_DEFENSIVE, true)
        try configure(SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, false)
        try configure(SQLITE_DBCONFIG_ENABLE_FTS3_TOKENIZER, false)
        try setTrustsSchema(options.trustsSchema)
        limitValues(to: options.maximumValueBytes)
        unsafe sqlite3_limit(database.handle, SQLITE_LIMIT_ATTACHED, 0)
        unsafe sqlite3_limit(database.handle, SQLITE_LIMIT_SQL_LENGTH, Limits.statementBytes)
        unsafe sqlite3_limit(database.handle, SQLITE_LIMIT_TRIGGER_DEPTH, Limits.triggerDepth)
        try execute("PRAGMA cell_size_check=1; PRAGMA mmap_size=0")
    }

    /// Makes texts, blobs and rows of more bytes an error from now on.
    package func limitValues(to byteCount: Int) {
        unsafe sqlite3_limit(
            database.handle, SQLITE_LIMIT_LENGTH, Int32(min(max(1, byteCount), Limits.valueBytes)))
    }

    /// Trusts, or no longer, the functions and virtual tables that the schema uses.
    package func setTrustsSchema(_ isTrusted: Bool) throws(SQLiteError) {
        try configure(SQLITE_DBCONFIG_TRUSTED_SCHEMA, isTrusted)
    }

    /// How long a statement waits for a lock before it throws `busy`; 0 for not at all.
    package func setBusyTimeout(milliseconds: Int) throws(SQLiteError) {
        try database.check(unsafe sqlite3_busy_timeout(database.handle, Int32(clamping: milliseconds)))
    }

    /// Leaves the WAL as it is when this connection closes as the last one.
    package func disableCheckpointOnClose() throws(SQLiteError) {
        try configure(SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)
    }

    /// Moves the WAL into the file when this connection closes as the last one, as it does unless that was
    /// disabled.
    package func enableCheckpointOnClose() throws(SQLiteError) {
        try configure(SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, false)
    }

    /// After how many frames in the WAL a commit checkpoints; 0 for never.
    package func setAutomaticCheckpoint(frames: Int) throws(SQLiteError) {
        try database.check(unsafe sqlite3_wal_autocheckpoint(database.handle, Int32(clamping: frames)))
    }

    /// The first column of the first row that a pragma answers, after setting it if `value` is given.
    package func pragma(_ name: String, _ value: String? = nil) throws(SQLiteError) -> String? {
        let isName = name.utf8.allSatisfy { byte in
            byte == UInt8(ascii: "_") || byte == UInt8(ascii: ".")
                || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
        }
        guard isName, !name.isEmpty else { throw .misuse(message: "not the name of a pragma: \(name)") }
        let assignment = value.map {
            "='" + $0.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "''") + "'"
        }
        let statement = try prepare("PRAGMA " + name + (assignment ?? ""))
        guard try statement.step() else { return nil }
        return statement.isNull(0) ? nil : statement.text(0)
    }

    private func configure(_ operation: Int32, _ isOn: Bool) throws(SQLiteError) {
        try database.check(unsafe coffer_sqlite_db_config(database.handle, operation, isOn ? 1 : 0))
    }
}
