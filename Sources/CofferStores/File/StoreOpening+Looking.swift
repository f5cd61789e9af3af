internal import CofferLinux
internal import CofferSQLite

// What a file proves to be, before anything of it or beside it changes.

extension StoreOpening {
    /// What was found in a file that fits its model.
    struct Finding {
        var facts: StoreFacts
        let model: StoreModel
        let schema: SQLSchema
        /// What it takes to write into it; `nil` where it is a store of ours.
        let adoption: Adoption?
    }

    /// Looks at a file that is there and to be written: one that Coffer did not make is refused, or only
    /// read, unless it is to be adopted.
    ///
    /// Whatever comes of it, the file and its folder are as they were: all that is looked at is looked at
    /// through a VFS that writes nothing. Only by SQLite, for closing a file takes away all locks that this
    /// process holds on it (as fcntl's locks are), and another program would delete its log.
    mutating func look(for model: StoreModel?) throws(StoreError) {
        if options.isReadOnly { return }
        // Another one of ours that has it open writes, and what is written meanwhile cannot be looked at.
        if try isWritable(), try hasLock() { _ = try acquireLock() }
        let sealed = try translating { () throws(SQLiteError) in try SQLiteVFS(isSealed: true) }
        do throws(StoreError) {
            let connection = try connect(.readOnly, through: sealed)
            if try isOwn(connection) { return }
            if options.foreignFiles == .read {
                options.isReadOnly = true
                vfs = sealed
                releaseLock()
                return
            }
            guard try isWritable() else { throw .readOnly(path: path) }
            try admit(try examine(connection, model))
        } catch .unfinishedWrite where options.foreignFiles == .adopted || lock != nil {
            // Opened for writing it is first what it was before that write; then it has to prove itself all
            // the same. Beside a lock's file a store of ours is expected, which died in its first opening or
            // in an adoption.
        }
    }

    /// Opens the file.
    func connect(
        _ mode: SQLiteConnection.Mode, through vfs: SQLiteVFS
    ) throws(StoreError) -> SQLiteConnection {
        try translating { () throws(SQLiteError) in
            let connection = try SQLiteConnection(path: sqlitePath, name: path, mode: mode, vfs: vfs)
            try connection.setBusyTimeout(milliseconds: Limits.busyMilliseconds)
            return connection
        }
    }

    /// Whether Coffer has written into the file before; what stands in the place of its table tells later.
    private func isOwn(_ connection: SQLiteConnection) throws(StoreError) -> Bool {
        try translating { () throws(SQLiteError) in
            try connection.prepare("SELECT 1 FROM sqlite_master WHERE name = 'COFFER_STATE'").step()
        }
    }

    /// Reads what the file says of itself, and whether it fits; `model` where one is given, else the one that
    /// it keeps.
    func examine(_ connection: SQLiteConnection, _ model: StoreModel?) throws(StoreError) -> Finding {
        let facts = try StoreFacts(reading: connection, path: path)
        let used: StoreModel
        if let model { used = model } else { used = try keptModel(on: connection, tables: facts.tables) }
        try checkHashes(of: facts, against: used.model, on: connection)
        let schema = try SQLSchema(
            model: used.model, configuration: configuration, numbers: numbers(of: used.model, on: connection),
            present: columnsOfJoins(on: connection))
        if let name = facts.schema.virtualName(among: schema.tableNames) {
            throw .damaged(path: path, detail: "\(name) is a view or virtual table, not a table")
        }
        if !isCreated { try checkFit(of: used, schema, on: connection, tables: facts.tables) }
        let adoption =
            facts.tables.contains("COFFER_STATE")
            ? nil : try Adoption(of: facts, schema, on: connection, journal: pragmas.journal)
        return Finding(facts: facts, model: used, schema: schema, adoption: adoption)
    }

    /// Throws where a file that Coffer did not make would be written without consent, or could not be kept
    /// right.
    func admit(_ finding: Finding) throws(StoreError) {
        guard !options.isReadOnly, let adoption = finding.adoption else { return }
        if options.foreignFiles == .adopted, adoption.obstacle == nil { return }
        throw adoption.refusal(path: path)
    }
}
