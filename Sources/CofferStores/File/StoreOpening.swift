internal import CofferFormats
internal import CofferLinux
internal import CofferModel
internal import CofferSQLite
internal import CofferWire

/// The steps of opening one store file; nothing is written before the file has proved to be a store that fits the model.
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
        let exists = try checkKind()
        if !exists {
            guard !options.mustExist, !options.isReadOnly else { throw .notFound(path: path) }
            guard model != nil else { throw .unknownModel(path: path) }
        }
        if !options.isReadOnly, lock == nil {
            do throws(LinuxError) {
                lock = try LockFile.acquire(fileName + ".lock", in: folder)
            } catch .locked(_, let owner) {
                throw .lockedByOther(path: path, pid: owner)
            } catch  where error.isWriteRefused {
                throw .readOnly(path: path)
            } catch {
                throw StoreError(error)
            }
        }
        if let model, try !checkKind() {  // Somebody may have made it before we had the lock.
            try StoreCreation(self, model: model).run()
            isCreated = true
        }
        let connection = try translating { () throws(SQLiteError) in
            try SQLiteConnection(
                path: sqlitePath, name: path, mode: options.isReadOnly ? .readOnly : .readWrite, vfs: vfs)
        }
        var facts = try StoreFacts(reading: connection, path: path)
        let used: StoreModel
        if let model { used = model } else { used = try keptModel(on: connection, tables: facts.tables) }
        let schema = try SQLSchema(model: used.model, configuration: configuration)
        try checkHashes(of: facts.metadata, against: used.model)
        if !isCreated { try prepare(connection, facts: &facts, model: used, schema: schema) }
        return StoreFile(self, facts: facts, model: used, schema: schema, identity: try identity())
    }
}

extension StoreOpening {
    /// Whether there is a file; it must be a regular one that begins like a database.
    private func checkKind() throws(StoreError) -> Bool {
        let facts = try translatingSystem { () throws(LinuxError) in try folder.facts(of: fileName) }
        guard let facts else { return false }
        guard facts.kind == .file else { throw .notAStore(path: path, detail: "it is no regular file") }
        guard facts.byteCount > 0 else { throw .notAStore(path: path, detail: "the file is empty") }
        let start = try translatingSystem { () throws(LinuxError) in
            try folder.openBeneath(fileName, [.nonBlocking]).read(upTo: 16, at: 0)
        }
        guard start == Array("SQLite format 3\0".utf8) else {
            throw .notAStore(path: path, detail: "it is no SQLite database")
        }
        return true
    }

    private func identity() throws(StoreError) -> FileFacts {
        let facts = try translatingSystem { () throws(LinuxError) in try folder.facts(of: fileName) }
        guard let facts else { throw .notFound(path: path) }
        return facts
    }

    private func checkHashes(of metadata: StoreMetadata, against model: ManagedObjectModel) throws(StoreError)
    {
        guard let hashes = VersionHashes(of: model, configuration: configuration) else {
            throw .unknownConfiguration(configuration)
        }
        let (wanted, stored) = (hashes.entities, metadata.versionHashes)
        let missing = wanted.keys.filter { stored[$0] == nil }.sorted()
        let unknown = stored.keys.filter { wanted[$0] == nil }.sorted()
        let differing = wanted.filter { name, hash in stored[name].map { $0 != hash } ?? false }.keys.sorted()
        guard missing.isEmpty, unknown.isEmpty, differing.isEmpty else {
            throw .incompatible(differing: differing, missing: missing, unknown: unknown)
        }
    }

    /// The model that the store keeps.
    private func keptModel(
        on connection: SQLiteConnection, tables: Set<String>
    ) throws(StoreError) -> StoreModel {
        guard tables.contains("COFFER_MODEL"), tables.contains("COFFER_STATE") else {
            return try cachedModel(on: connection, tables: tables)
        }
        let kept = try translating { () throws(SQLiteError) -> ([UInt8], [UInt8])? in
            let statement = try connection.prepare(
                "SELECT id, model FROM COFFER_MODEL WHERE id = (SELECT value FROM COFFER_STATE WHERE name = 'model')"
            )
            return try statement.step() ? (statement.blob(0), statement.blob(1)) : nil
        }
        guard let (id, bytes) = kept else { throw .unknownModel(path: path) }
        do throws(WireError) {
            return StoreModel(model: try ModelMessage.unpack(bytes), id: id, bytes: bytes)
        } catch {
            throw .damaged(path: path, detail: "the model that it keeps cannot be read (\(error))")
        }
    }

    /// The model that a store of Core Data's keeps.
    private func cachedModel(
        on connection: SQLiteConnection, tables: Set<String>
    ) throws(StoreError) -> StoreModel {
        guard tables.contains("Z_MODELCACHE") else { throw .unknownModel(path: path) }
        let content = try translating { () throws(SQLiteError) in
            let statement = try connection.prepare("SELECT Z_CONTENT FROM Z_MODELCACHE LIMIT 1")
            return try statement.step() ? statement.blob(0) : []
        }
        guard !content.isEmpty else { throw .unknownModel(path: path) }
        let model: ManagedObjectModel
        do throws(FormatError) {
            model = try ModelCache.read(content)
        } catch .unsupported {
            throw .unknownModel(path: path)
        } catch {
            throw .damaged(path: path, detail: "the model that it keeps cannot be read (\(error))")
        }
        return try StoreModel(model)
    }

    /// Makes a store that was there ready for writing: WAL, the tables it lacks, the model it keeps.
    private func prepare(
        _ connection: SQLiteConnection, facts: inout StoreFacts, model: StoreModel, schema: SQLSchema
    ) throws(StoreError) {
        if facts.tables.contains("COFFER_STATE") == false { try checkColumns(of: schema, on: connection) }
        if options.isReadOnly { return }
        let lacking = try missingStatements(facts.tables)
        try translating { () throws(SQLiteError) in
            if try connection.pragma("journal_mode") != "wal" {
                _ = try connection.pragma("journal_mode", "wal")
            }
            try pragmas.applyForWriting(to: connection, keepsFiles: !schema.externalColumns.isEmpty)
            try connection.begin(.immediate)
            for statement in lacking { try connection.execute(statement) }
            try StoreCreation.keep(model, on: connection)
            try StoreCreation.addTombstoneColumns(for: schema, on: connection)
            try StoreCreation.addOwnColumns(on: connection)
            if !schema.externalColumns.isEmpty { try connection.execute(FixedTables.external) }
        }
        let log = TriggerLog(schema: schema, clock: options.environment.now)
        try schema.addDerivedTriggers(to: connection, present: facts.triggers, log: log)
        try translating { () throws(SQLiteError) in
            try TextIndexes(schema.textIndexes, on: connection).prepare()
            try SortKeys.prepare(schema, on: connection, today: options.environment.today)
            try connection.commit()
        }
        facts.triggers = try StoreFacts.triggers(on: connection)
        try ExternalRecovery(of: fileName, in: folder, schema, on: connection).run()
    }

    private func missingStatements(_ tables: Set<String>) throws(StoreError) -> [String] {
        var statements: [String] = []
        if !tables.contains("ACHANGE") { statements += FixedTables.history + FixedTables.historyNumbering }
        if !tables.contains("COFFER_STATE") { statements += FixedTables.coffer }
        guard statements.isEmpty || options.addsMissingTables else { throw .readOnly(path: path) }
        // A file of ours from before there was this table.
        if tables.contains("COFFER_STATE"), !tables.contains("COFFER_RESERVED") {
            statements.append(FixedTables.reserved)
        }
        return statements
    }

    /// Whether a store of Core Data's has the numbers, tables and columns that the model leads to.
    private func checkColumns(of schema: SQLSchema, on connection: SQLiteConnection) throws(StoreError) {
        let numbers = try translating { () throws(SQLiteError) -> [String: Int64] in
            let statement = try connection.prepare("SELECT Z_NAME, Z_ENT FROM Z_PRIMARYKEY")
            var numbers: [String: Int64] = [:]
            while try statement.step() { numbers[statement.text(0)] = statement.int64(1) }
            return numbers
        }
        for entity in schema.entities.compactMap(\.self) {
            let name = schema.model.entities[entity.index].name
            guard numbers[name] == Int64(entity.number) else {
                throw .damaged(
                    path: path, detail: "the entity '\(name)' has another number than the model gives it")
            }
        }
        for table in schema.tables {
            let columns = ["Z_PK", "Z_ENT", "Z_OPT"] + table.columns.map(\.name)
            try checkTable(table.name, columns, on: connection)
        }
        for table in schema.joinTables {
            try checkTable(table.name, [table.first, table.second] + table.orderColumns, on: connection)
        }
    }

    private func checkTable(
        _ table: String, _ columns: [String], on connection: SQLiteConnection
    ) throws(StoreError) {
        do throws(SQLiteError) {
            _ = try connection.prepare("SELECT \(columns.joined(separator: ", ")) FROM \(table)")
        } catch {
            throw .damaged(path: path, detail: "the table \(table) is not as the model has it (\(error))")
        }
    }
}
