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
    var options: StoreOptions
    private(set) var pragmas: StorePragmas
    var vfs: SQLiteVFS
    private(set) var lock: LockFile?
    private(set) var isCreated = false
    /// The kind of file system that the file is on, if other machines may write there, too.
    private(set) var sharedFileSystem: String?
    /// Which locks there are for the file.
    private(set) var locks = FileLocks.ranges
    /// What in the file's schema may run without end, if anything may.
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
        path = options.backing?.path ?? folder.path + "/" + fileName
        pragmas = try StorePragmas(options.pragmas)
        sqlitePath = try translatingSystem { () throws(LinuxError) in try folder.procPath(fileName) }
        if let given = options.vfs {
            vfs = given
        } else {
            vfs = try translating { () throws(SQLiteError) in try SQLiteVFS(isSealed: options.isReadOnly) }
        }
    }

    mutating func run(model: StoreModel?) throws(StoreError) -> StoreFile {
        try suitFileSystem()
        try suitOwnLock()
        // No lock file is left if there is no store and none is made. Once we hold the lock, everything
        // read before may have changed.
        if try !isThere() { try requireMaking(model) }
        try checkCompanions()
        if try isThere() { try look(for: model) }
        if !options.isReadOnly, try !isWritable() { throw .readOnly(path: path) }
        let isNewlyLocked = try acquireLock()
        var isOpen = false
        // A lock file that is left when this fails does no harm; beside a journal it says whose write to
        // undo.
        defer {
            if isNewlyLocked, !isOpen, (try? folder.exists(fileName + "-journal")) == false {
                // It does no harm if it stays.
                _ = try? folder.unlink(fileName + StoreFile.lockSuffix)
            }
        }
        if try !isThere() {
            try StoreCreation(self, model: requireMaking(model)).run()
            isCreated = true
        }
        let keepsLog = try translatingSystem { () throws(LinuxError) in try folder.exists(fileName + "-wal") }
        let connection = try connect(options.isReadOnly ? .readOnly : .readWrite, through: vfs)
        if keepsLog {
            // If opening fails, the log stays as it is; one that was not there is removed with the
            // connection.
            try translating { () throws(SQLiteError) in try connection.disableCheckpointOnClose() }
        }
        var finding = try examine(connection, model)
        unknownItem = finding.facts.schema.trust(of: finding.schema).unknownItem
        try admit(finding)
        if !isCreated, !isReadOnly { try prepare(connection, &finding) }
        let identity = try identity()
        // A file whose SQL may run without end is left as it was found.
        try translating { () throws(SQLiteError) in
            if unknownItem != nil {
                try connection.disableCheckpointOnClose()
            } else if keepsLog {
                try connection.enableCheckpointOnClose()
            }
        }
        isOpen = true
        return StoreFile(self, finding, identity: identity)
    }
}

extension StoreOpening {
    /// Whether there is a file; it must be a regular one that is not empty.
    func isThere() throws(StoreError) -> Bool {
        let facts = try translatingSystem { () throws(LinuxError) in try folder.facts(of: fileName) }
        guard let facts else { return false }
        guard facts.kind == .file else { throw .notAStore(path: path, detail: "it is not a regular file") }
        guard facts.byteCount > 0 else { throw .notAStore(path: path, detail: "the file is empty") }
        return true
    }

    /// Checks that what bears the names of the store's own files are such files.
    func checkCompanions() throws(StoreError) {
        for name in StoreFile.companionSuffixes.map({ fileName + $0 }) {
            let facts = try translatingSystem { () throws(LinuxError) in try folder.facts(of: name) }
            if let facts, facts.kind != .file { throw .strangeCompanion(path: "\(folder.path)/\(name)") }
        }
    }

    /// Checks that files can be written in the folder of the store.
    func isWritable() throws(StoreError) -> Bool {
        try translatingSystem { () throws(LinuxError) in
            if !folder.isWritable { return false }
            return try folder.exists(fileName) ? try folder.mayWrite(fileName) : true
        }
    }

    /// Whether there is a lock file.
    func hasLock() throws(StoreError) -> Bool {
        try translatingSystem { () throws(LinuxError) in
            try folder.exists(fileName + StoreFile.lockSuffix)
        }
    }

    /// The model of the store that is made if there is none.
    @discardableResult
    private func requireMaking(_ model: StoreModel?) throws(StoreError) -> StoreModel {
        guard !options.mustExist, !options.isReadOnly else { throw .notFound(path: path) }
        guard let model else { throw .unknownModel(path: path) }
        return model
    }

    /// Locks the file for writing, if it is to be written and is not locked already; says whether that
    /// created the lock file.
    mutating func acquireLock() throws(StoreError) -> Bool {
        if options.isReadOnly || lock != nil { return false }
        let isNew = try !hasLock()
        lock = try StoreLock.acquire(
            fileName, in: folder, path: path, patience: options.patience, locks: locks)
        try suitOwnLock()
        return isNew
    }

    /// Does without a log on a file system that shares no memory between the machines that use it: each would
    /// have an index of the log for itself, and overwrite what the other saved.
    private mutating func suitFileSystem() throws(StoreError) {
        let kind = try translatingSystem { () throws(LinuxError) in
            try options.environment.fileSystem(folder)
        }
        switch kind {
        case .local, .memory: return
        case .userSpace: try suitLocks(of: "FUSE")
        case .network(let name):
            try suitLocks(of: name)
            if options.isReadOnly { return }
            sharedFileSystem = name
            try pragmas.avoidLog(at: path, on: name)
        }
    }

    /// Locks the file as a whole if the file system has no other locks, and does without a log, whose
    /// readers and writers lock parts of its index.
    ///
    /// - Throws: `noLocks` if it has none at all, and the file is to be written.
    mutating func suitLocks(of fileSystem: String) throws(StoreError) {
        let found = try translatingSystem { () throws(LinuxError) in
            try options.environment.fileLocks(
                folder, fileName + StoreFile.lockSuffix, !options.isReadOnly && folder.isWritable)
        }
        try suit(found, of: fileSystem)
    }

    /// Does what the lock tells that we have: of the kind of a file system not all is known.
    private mutating func suitOwnLock() throws(StoreError) {
        guard lock?.locks == .wholeFiles, locks != .wholeFiles else { return }
        try suit(.wholeFiles, of: "it locks whole files only")
    }

    private mutating func suit(_ found: FileLocks, of fileSystem: String) throws(StoreError) {
        locks = found
        switch found {
        case .ranges: return
        case .none:
            if !options.isReadOnly { throw .noLocks(path: path) }
        case .wholeFiles:
            if !options.isReadOnly { try pragmas.avoidLog(at: path, on: fileSystem) }
            if options.vfs == nil { vfs = try makeVFS(isSealed: options.isReadOnly) }
        }
    }

    /// A way to the file that locks it as its file system can.
    func makeVFS(isSealed: Bool) throws(StoreError) -> SQLiteVFS {
        try translating { () throws(SQLiteError) in
            try SQLiteVFS(isSealed: isSealed, locks: locks == .wholeFiles ? .wholeFiles : .ranges)
        }
    }

    /// Releases the file for others.
    mutating func releaseLock() { lock = nil }

    private func identity() throws(StoreError) -> FileFacts {
        let facts = try translatingSystem { () throws(LinuxError) in try folder.facts(of: fileName) }
        guard let facts else { throw .notFound(path: path) }
        return facts
    }

    /// Makes an existing store ready for writing: the tables it lacks, the model it keeps, the journal.
    ///
    /// All of it happens in one transaction, in whatever mode the file is: either it stays as it was, or it
    /// is ready.
    private func prepare(_ connection: SQLiteConnection, _ finding: inout Finding) throws(StoreError) {
        let (facts, schema) = (finding.facts, finding.schema)
        if facts.schema.hasRTrees, facts.schema.trust(of: schema) == .known {
            try translating { () throws(SQLiteError) in try connection.setTrustsSchema(true) }
        }
        let wanted = pragmas.journal
        let isAsWanted = try translating { () throws(SQLiteError) in
            try connection.pragma("journal_mode") == wanted.pragma
        }
        try translating { () throws(SQLiteError) in
            try pragmas.applyForWriting(to: connection, keepsFiles: !schema.externalColumns.isEmpty)
            // Anything less is safe only with a log.
            if !isAsWanted { _ = try connection.pragma("synchronous", "full") }
            try connection.begin(.immediate)
            for statement in missingStatements(facts) { try connection.execute(statement) }
            try StoreRenewal(of: schema, facts.metadata).run(on: connection)
            try StoreCreation.keep(finding.model, on: connection)
            try StoreCreation.addTombstoneColumns(for: schema, on: connection)
            try StoreCreation.moveFormerColumns(on: connection)
            if !schema.externalColumns.isEmpty { try connection.execute(FixedTables.external) }
        }
        let log = TriggerLog(schema: schema, clock: options.environment.now)
        try schema.addDerivedTriggers(to: connection, present: facts.schema.triggers, log: log)
        try translating { () throws(SQLiteError) in
            try TextIndexes(schema.textIndexes, on: connection).prepare()
            try SortKeys.prepare(schema, on: connection, today: options.environment.today)
            // Better that it fails here than that a later write does.
            if finding.adoption != nil {
                _ = try HistoryWriter(
                    connection, path: path, numbers: schema.numbers, hasStrings: facts.hasHistoryStrings)
            }
            // Last: triggers of new r-trees would refuse what is written before.
            try finding.indexes?.run(on: connection)
            try connection.commit()
            if !isAsWanted {
                // Of a log, all goes into the file first.
                _ = try connection.pragma("journal_mode", wanted.pragma)
                try pragmas.applyForWriting(to: connection, keepsFiles: !schema.externalColumns.isEmpty)
            }
        }
        finding.facts.schema = try translating { () throws(SQLiteError) in
            try SchemaItems(reading: connection)
        }
        try ExternalRecovery(of: fileName, in: folder, schema, on: connection).run()
        try MigrationBackup.removeOld(
            of: fileName, in: folder, on: connection, today: options.environment.today)
    }

    private func missingStatements(_ facts: StoreFacts) -> [String] {
        let tables = facts.tables
        var statements: [String] = []
        if !tables.contains("ACHANGE") { statements += FixedTables.history }
        // A history that another program has made and not yet used may not be counted.
        if !tables.contains("COFFER_STATE") || !tables.contains("ACHANGE") {
            statements += FixedTables.historyNumbering(withStrings: facts.hasHistoryStrings)
        }
        if !tables.contains("COFFER_STATE") { statements += FixedTables.coffer }
        // In an older file of ours, from before these tables existed.
        if tables.contains("COFFER_STATE") { statements += [FixedTables.reserved, FixedTables.transactions] }
        return statements
    }
}
