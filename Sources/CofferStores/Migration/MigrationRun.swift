internal import CofferFormats
internal import CofferLinux
internal import CofferModel
internal import CofferSQLite
internal import CofferWire

/// Carries out a migration on the one connection that writes to a file, in one transaction.
///
/// Tables of entities stay and are altered, as Core Data does it, if all of their columns are carried on as
/// they are declared; else their rows are copied into new ones. What is made from tables is dropped before
/// and made again: indexes, triggers, what we keep beside texts. Confined; used once.
final class MigrationRun {
    let layout: MigrationLayout
    let model: StoreModel
    let file: StoreFile
    let connection: SQLiteConnection
    let external: MigrationExternal
    /// Where tables are that have to be out of the way, by the names they had.
    var formerNames: [String: String] = [:]
    /// Indexes of others that went with their tables.
    var foreignIndexes: [(table: String, sql: String, columns: [String?])] = []
    /// Whether the store goes back to a model that it was taken on from.
    private let isReturn: Bool
    private let progress: (MigrationProgress) -> Bool

    init(
        _ layout: MigrationLayout, to model: StoreModel, of file: StoreFile, isReturn: Bool,
        _ progress: @escaping (MigrationProgress) -> Bool
    ) throws(StoreError) {
        self.isReturn = isReturn
        self.layout = layout
        self.model = model
        self.file = file
        self.progress = progress
        external = MigrationExternal(file)
        connection = try translating { () throws(SQLiteError) in
            let connection = try SQLiteConnection(
                path: file.sqlitePath, name: file.path, keeping: file.folder, mode: .readWrite, vfs: file.vfs)
            try connection.setTrustsSchema(file.trustsSchema)
            try file.pragmas.applyForWriting(to: connection, keepsFiles: true)
            return connection
        }
    }

    /// Takes the file to the model; says the number that the migration has in its history.
    ///
    /// - Throws: `unmigratable`, `interrupted` if `progress` stops it, and what the disk says; the file is
    ///   as it was then.
    func run(keeping backup: MigrationBackup?) throws(StoreError) -> UInt64 {
        let number: UInt64
        var isCommitting = false
        do throws(StoreError) {
            try translating { () throws(SQLiteError) in
                try MigrationFunctions.register(on: connection, for: layout, now: file.environment.now())
                try external.register(on: connection)
                try connection.begin(.exclusive)
            }
            number = try carryOut()
            // From here on it is not stopped any more.
            connection.setProgressHandler(everyInstructions: 1, nil)
            try external.publish()
            isCommitting = true
            try translating { () throws(SQLiteError) in try connection.commit() }
        } catch {
            connection.setProgressHandler(everyInstructions: 1, nil)
            let explained = external.explained(error)
            // Some errors end the transaction by themselves.
            if !connection.isAutocommit { try? connection.rollback() }
            external.undo()
            // It is unknown whether a failed commit comes back after a crash.
            if !isCommitting { backup?.discard(on: connection) }
            throw explained
        }
        external.settle()
        return number
    }

    private func carryOut() throws(StoreError) -> UInt64 {
        let facts = try StoreFacts(reading: connection, path: file.path)
        try step(.checking)
        // Another program may have written since the file was last looked at.
        let check = MigrationCheck(layout: layout, connection: connection)
        let obstacles = try check.foreignObstacles(in: facts.schema) + check.obstacles()
        if !obstacles.isEmpty { throw .unmigratable(path: file.path, obstacles: obstacles) }
        try step(.rows)
        let triggers = try DerivedRenewal(layout, facts.schema.triggers)
        try translating { () throws(SQLiteError) in
            try noteDroppedFiles()
            try collectDigits()
            try collectLinks()
            try triggers.drop(on: connection)
            try dropTextIndexes(facts.tables)
            try dropIndexes()
            try dropTrees()
            try changeTables()
            try changeJoins()
            try writeLinks()
            try replaceDigits()
        }
        try step(.indexes)
        try makeIndexes()
        try triggers.make(on: connection, clock: file.environment.now)
        try step(.history)
        let number = try translating { () throws(SQLiteError) in
            try renumber(facts)
            return try writeHistory(facts)
        }
        try keepModel(facts)
        return number
    }

    /// Tells of a step, and goes on telling of it while it lasts; all of it is in one transaction, which may
    /// end at any time.
    private func step(_ step: MigrationProgress) throws(StoreError) {
        if !progress(step) { throw .interrupted }
        connection.setProgressHandler(everyInstructions: Limits.migrationInstructions) { [progress] in
            !progress(step)
        }
    }

    func execute(_ statements: [String]) throws(SQLiteError) {
        for statement in statements { try connection.execute(statement) }
    }
}

extension MigrationRun {
    /// Allows an automatic migration of the store to the former model, as to any newer one.
    private func forgetFormerModel() throws(SQLiteError) {
        let forget = try connection.prepare("DELETE FROM COFFER_MODEL WHERE id = ?1")
        try forget.bind(file.model.id, at: 1)
        try forget.run()
    }

    /// Makes the file say that it is of the new model.
    private func keepModel(_ facts: StoreFacts) throws(StoreError) {
        guard let hashes = VersionHashes(of: model.model, configuration: file.configuration) else {
            throw .unknownConfiguration(file.configuration)
        }
        var metadata = facts.metadata
        metadata.versionHashes = hashes.entities
        metadata.digest = hashes.digest
        metadata.checksum = hashes.checksum
        metadata.versionIdentifiers = model.model.versionIdentifiers
        let schema = layout.destination
        try translating { () throws(SQLiteError) in
            let update = try connection.prepare("UPDATE Z_METADATA SET Z_PLIST = ?1")
            try update.bind(metadata.propertyList(), at: 1)
            try update.run()
            if !facts.tables.contains("Z_MODELCACHE") {
                try connection.execute("CREATE TABLE Z_MODELCACHE (Z_CONTENT BLOB)")
            }
            try connection.execute("DELETE FROM Z_MODELCACHE")
            let cache = try connection.prepare("INSERT INTO Z_MODELCACHE(Z_CONTENT) VALUES(?1)")
            try cache.bind(ModelCache.content(of: model.model), at: 1)
            try cache.run()
            try StoreCreation.keep(model, on: connection)
            if isReturn { try forgetFormerModel() }
            if !schema.externalColumns.isEmpty { try connection.execute(FixedTables.external) }
            try TextIndexes(schema.textIndexes, on: connection).prepare()
            try SortKeys.prepare(schema, on: connection, today: file.environment.today)
        }
    }
}
