internal import CofferLinux
internal import CofferSQLite

// What a file proves to be, before anything in it or beside it changes.

extension StoreOpening {
    /// What was found in a file that fits its model.
    struct Finding {
        var facts: StoreFacts
        let model: StoreModel
        let schema: SQLSchema
        /// What has to be added before it can be written; `nil` if it is a store of ours.
        let adoption: Adoption?
        /// How its indexes differ from the model's; `nil` if they do not.
        var indexes: IndexRenewal?
        /// Whether the model is guessed from what the file has, so that it is only read.
        var isGuessed = false
    }

    /// Examines an existing file that is to be opened for writing: one that Coffer did not make is refused or
    /// opened for reading only, unless it is to be adopted.
    ///
    /// Whatever the outcome, the file and its folder stay as they were: everything is read through a VFS that
    /// writes nothing. It is read by SQLite only, because closing a file releases all locks that this process
    /// holds on it (as fcntl's locks do), and another program would then delete its log.
    mutating func look(for model: StoreModel?) throws(StoreError) {
        if options.isReadOnly { return }
        // Another process of ours that has it open is writing, and what it is writing cannot be examined.
        if try isWritable(), try hasLock() { _ = try acquireLock() }
        let sealed = try makeVFS(isSealed: true)
        do throws(StoreError) {
            let connection = try connect(.readOnly, through: sealed)
            let isOwn = try isOwn(connection)
            let isLeftAsItIs = isOwn ? try !isWritable() : true
            if options.foreignFiles == .read, isLeftAsItIs {
                if isOwn { try requireUnlocked() }
                options.isReadOnly = true
                vfs = sealed
                releaseLock()
                return
            }
            if isOwn { return }
            guard try isWritable() else { throw .readOnly(path: path) }
            try admit(try examine(connection, model))
        } catch .unfinishedWrite where options.foreignFiles == .adopted || lock != nil {
            // Opening it for writing first restores what it was before that write; then it has to prove
            // itself all the same. Beside a lock file a store of ours is expected, whose process died when it
            // first opened or adopted it.
        }
    }

    /// Allows reading a store of ours that cannot be written here without a lock only while no other process
    /// writes into it.
    ///
    /// - Throws: `lockedByOther`; `readOnly` if nothing tells whether one does.
    private func requireUnlocked() throws(StoreError) {
        let holder: (pid: Int32?, path: String)?
        do throws(LinuxError) {
            holder = try LockFile.holder(of: fileName + StoreFile.lockSuffix, in: folder)
        } catch {
            throw .readOnly(path: path)
        }
        if let holder { throw .lockedByOther(path: path, pid: holder.pid) }
    }

    /// Opens the file.
    func connect(
        _ mode: SQLiteConnection.Mode, through vfs: SQLiteVFS
    ) throws(StoreError) -> SQLiteConnection {
        try translating { () throws(SQLiteError) in
            let connection = try SQLiteConnection(
                path: sqlitePath, name: path, keeping: folder, mode: mode, vfs: vfs)
            try connection.setBusyTimeout(milliseconds: Limits.busyMilliseconds)
            return connection
        }
    }

    /// Whether Coffer has written into the file before; whether its table really is one is checked later.
    func isOwn(_ connection: SQLiteConnection) throws(StoreError) -> Bool {
        try translating { () throws(SQLiteError) in
            try connection.hasTable("COFFER_STATE")
        }
    }

    /// Reads what the file says of itself, and whether it fits `model`, or without one the model that it
    /// keeps.
    func examine(_ connection: SQLiteConnection, _ model: StoreModel?) throws(StoreError) -> Finding {
        let facts = try StoreFacts(reading: connection, path: path)
        var isGuessed = false
        let used: StoreModel
        if let model {
            used = model
            isGuessed = options.backing?.isModelGuessed ?? false
        } else if let kept = try keptModelIfAny(on: connection, tables: facts.tables) {
            used = kept
        } else {
            // Nothing is written by a guessed model.
            guard options.isReadOnly else { throw .unknownModel(path: path) }
            used = try StoreModel(try GuessedModel.model(on: connection, path: path))
            isGuessed = true
        }
        if !isGuessed { try checkHashes(of: facts, against: used.model, on: connection) }
        let schema = try SQLSchema(
            model: used.model, configuration: configuration, numbers: numbers(of: used.model, on: connection),
            present: columnsOfJoins(on: connection))
        if let name = facts.schema.virtualName(among: schema.tableNames) {
            throw .damaged(path: path, detail: "\(name) is a view or virtual table, not a table")
        }
        if !isCreated { try checkFit(of: used, schema, on: connection, tables: facts.tables) }
        let indexes = try indexRenewal(of: facts, to: schema, used, on: connection)
        let adoption =
            facts.tables.contains("COFFER_STATE")
            ? nil
            : try Adoption(
                of: facts, schema, renewing: indexes, on: connection, journal: pragmas.journal)
        return Finding(
            facts: facts, model: used, schema: schema, adoption: adoption, indexes: indexes,
            isGuessed: isGuessed)
    }

    /// The model that the store keeps; `nil` if it keeps none that can be read.
    private func keptModelIfAny(
        on connection: SQLiteConnection, tables: Set<String>
    ) throws(StoreError) -> StoreModel? {
        do throws(StoreError) {
            return try keptModel(on: connection, tables: tables)
        } catch .unknownModel {
            return nil
        } catch {
            throw error
        }
    }

    /// Throws if a file that Coffer did not make would be written without consent, or could not be kept
    /// correct.
    func admit(_ finding: Finding) throws(StoreError) {
        guard !options.isReadOnly, let adoption = finding.adoption else { return }
        if options.foreignFiles == .adopted, adoption.obstacle == nil { return }
        throw adoption.refusal(path: path)
    }
}
