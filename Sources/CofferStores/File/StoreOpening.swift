internal import CofferFormats
internal import CofferLinux
internal import CofferModel
internal import CofferSQLite
internal import CofferWire

/// The steps of opening one store file; nothing is written before the file has proved to be a store that fits
/// the model.
struct StoreOpening {
    let folder: Folder
    let fileName: String
    let path: String
    let sqlitePath: String
    let configuration: String
    let options: StoreOptions
    let pragmas: StorePragmas
    let vfs: SQLiteVFS
    private(set) var lock: LockFile?
    private(set) var isCreated = false
    /// What of the file's schema may run without end, if anything may.
    private(set) var unknownItem: String?

    /// Whether nothing is written.
    var isReadOnly: Bool { options.isReadOnly || unknownItem != nil }

    init(
        _ folder: Folder, _ fileName: String, configuration: String, options: StoreOptions,
        lock: LockFile? = nil
    ) throws(StoreError) {
        self.lock = lock
        self.folder = folder
        self.fileName = fileName
        self.configuration = configuration
        self.options = options
        path = folder.path + "/" + fileName
        pragmas = try StorePragmas(options.pragmas)
        sqlitePath = try translatingSystem { () throws(LinuxError) in try folder.procPath(fileName) }
        if let given = options.vfs {
            vfs = given
        } else {
            vfs = try translating { () throws(SQLiteError) in try SQLiteVFS(isSealed: options.isReadOnly) }
        }
    }

    mutating func run(model: StoreModel?) throws(StoreError) -> StoreFile {
        // No lock is left where nothing is and nothing comes; and with it, all may be otherwise than before.
        if try !isThere() { try requireMaking(model) }
        try checkCompanions()
        let isNewlyLocked = try acquireLock()
        var isOpen = false
        // What is left of it where that fails harms nobody.
        defer { if isNewlyLocked, !isOpen { _ = try? folder.unlink(fileName + StoreFile.lockSuffix) } }
        if try isThere() {
            guard try hasMark() else {
                throw .notAStore(path: path, detail: "it is not an SQLite database")
            }
        } else {
            try StoreCreation(self, model: requireMaking(model)).run()
            isCreated = true
        }
        let connection = try translating { () throws(SQLiteError) in
            try SQLiteConnection(
                path: sqlitePath, name: path, mode: options.isReadOnly ? .readOnly : .readWrite, vfs: vfs)
        }
        var facts = try StoreFacts(reading: connection, path: path)
        let used: StoreModel
        if let model { used = model } else { used = try keptModel(on: connection, tables: facts.tables) }
        try checkHashes(of: facts, against: used.model, on: connection)
        let schema = try SQLSchema(
            model: used.model, configuration: configuration, numbers: numbers(of: used.model, on: connection),
            present: columnsOfJoins(on: connection))
        if let name = facts.schema.virtualName(among: schema.tableNames) {
            throw .damaged(path: path, detail: "\(name) is a view or virtual table, not a table")
        }
        unknownItem = facts.schema.trust(of: schema).unknownItem
        if unknownItem != nil {
            // As it is looked at, it is left.
            try translating { () throws(SQLiteError) in try connection.disableCheckpointOnClose() }
        }
        if !isCreated { try prepare(connection, facts: &facts, model: used, schema: schema) }
        let identity = try identity()
        isOpen = true
        return StoreFile(self, facts: facts, model: used, schema: schema, identity: identity)
    }
}

extension StoreOpening {
    /// Whether there is a file; it must be a regular one with something in it.
    private func isThere() throws(StoreError) -> Bool {
        let facts = try translatingSystem { () throws(LinuxError) in try folder.facts(of: fileName) }
        guard let facts else { return false }
        guard facts.kind == .file else { throw .notAStore(path: path, detail: "it is not a regular file") }
        guard facts.byteCount > 0 else { throw .notAStore(path: path, detail: "the file is empty") }
        return true
    }

    /// Whether what has the names of a store's own files are such, and whether they can be written where the
    /// store is to be.
    private func checkCompanions() throws(StoreError) {
        let isWritable = try translatingSystem { () throws(LinuxError) in
            if !folder.isWritable { return false }
            return try folder.exists(fileName) ? try folder.mayWrite(fileName) : true
        }
        for name in StoreFile.companionSuffixes.map({ fileName + $0 }) {
            let facts = try translatingSystem { () throws(LinuxError) in try folder.facts(of: name) }
            if let facts, facts.kind != .file { throw .strangeCompanion(path: "\(folder.path)/\(name)") }
        }
        if !options.isReadOnly, !isWritable { throw .readOnly(path: path) }
    }

    /// The model of the store that is made where there is none.
    @discardableResult
    private func requireMaking(_ model: StoreModel?) throws(StoreError) -> StoreModel {
        guard !options.mustExist, !options.isReadOnly else { throw .notFound(path: path) }
        guard let model else { throw .unknownModel(path: path) }
        return model
    }

    /// Takes the file for writing, where it is to be written and not taken already; says whether that made
    /// the lock's file.
    private mutating func acquireLock() throws(StoreError) -> Bool {
        if options.isReadOnly || lock != nil { return false }
        let name = fileName + StoreFile.lockSuffix
        do throws(LinuxError) {
            let isNew = try !folder.exists(name)
            do throws(LinuxError) {
                lock = try LockFile.acquire(name, in: folder)
            } catch .locked(_, CurrentProcess.id) where options.patienceWithOwn > .zero {
                lock = try LockFile.acquire(name, in: folder, wait: options.patienceWithOwn)
            }
            return isNew
        } catch .locked(_, let owner) {
            throw .lockedByOther(path: path, pid: owner)
        } catch  where error.isWriteRefused {
            throw .readOnly(path: path)
        } catch {
            throw StoreError(error)
        }
    }

    /// Whether the file begins like a database.
    ///
    /// Only once it is known that this process has it open nowhere else: closing what was opened just for
    /// this takes away all the locks that SQLite holds on it (as fcntl's locks are), and another program
    /// would delete its log.
    private func hasMark() throws(StoreError) -> Bool {
        try translatingSystem { () throws(LinuxError) in
            try folder.openFile(fileName).read(upTo: 16, at: 0)
        } == Array("SQLite format 3\0".utf8)
    }

    private func identity() throws(StoreError) -> FileFacts {
        let facts = try translatingSystem { () throws(LinuxError) in try folder.facts(of: fileName) }
        guard let facts else { throw .notFound(path: path) }
        return facts
    }

    /// Makes a store that was there ready for writing: WAL, the tables it lacks, the model it keeps.
    private func prepare(
        _ connection: SQLiteConnection, facts: inout StoreFacts, model: StoreModel, schema: SQLSchema
    ) throws(StoreError) {
        try checkFit(of: model, schema, on: connection, tables: facts.tables)
        if isReadOnly { return }
        if facts.schema.hasRTrees, facts.schema.trust(of: schema) == .known {
            try translating { () throws(SQLiteError) in try connection.setTrustsSchema(true) }
        }
        let lacking = try missingStatements(facts.tables)
        try translating { () throws(SQLiteError) in
            if try connection.pragma("journal_mode") != "wal" {
                _ = try connection.pragma("journal_mode", "wal")
            }
            try pragmas.applyForWriting(to: connection, keepsFiles: !schema.externalColumns.isEmpty)
            try connection.begin(.immediate)
            for statement in lacking { try connection.execute(statement) }
            try StoreRenewal(of: model.model, configuration: configuration, facts.metadata).run(
                on: connection)
            try StoreCreation.keep(model, on: connection)
            try StoreCreation.addTombstoneColumns(for: schema, on: connection)
            try StoreCreation.moveFormerColumns(on: connection)
            if !schema.externalColumns.isEmpty { try connection.execute(FixedTables.external) }
        }
        let log = TriggerLog(schema: schema, clock: options.environment.now)
        try schema.addDerivedTriggers(to: connection, present: facts.schema.triggers, log: log)
        try translating { () throws(SQLiteError) in
            try TextIndexes(schema.textIndexes, on: connection).prepare()
            try SortKeys.prepare(schema, on: connection, today: options.environment.today)
            try connection.commit()
        }
        facts.schema = try translating { () throws(SQLiteError) in try SchemaItems(reading: connection) }
        try ExternalRecovery(of: fileName, in: folder, schema, on: connection).run()
    }

    private func missingStatements(_ tables: Set<String>) throws(StoreError) -> [String] {
        var statements: [String] = []
        if !tables.contains("ACHANGE") { statements += FixedTables.history + FixedTables.historyNumbering }
        if !tables.contains("COFFER_STATE") { statements += FixedTables.coffer }
        guard statements.isEmpty || options.addsMissingTables else { throw .readOnly(path: path) }
        // Of a file of ours from before there were these tables.
        if tables.contains("COFFER_STATE") { statements += [FixedTables.reserved, FixedTables.transactions] }
        return statements
    }
}
