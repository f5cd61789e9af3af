internal import CofferFormats
internal import CofferLinux
internal import CofferModel
internal import CofferSQLite
internal import FoundationEssentials

/// Makes a new store file beside its final path and renames it when it is whole, so that no crash leaves half
/// a store.
struct StoreCreation {
    /// The version of Core Data whose layout is written.
    static let frameworkVersion: Int64 = 1_347

    private let opening: StoreOpening
    private let model: StoreModel
    private let schema: SQLSchema
    private let hashes: VersionHashes

    init(_ opening: StoreOpening, model: StoreModel) throws(StoreError) {
        self.opening = opening
        self.model = model
        schema = try SQLSchema(model: model.model, configuration: opening.configuration)
        // A database that stands for another store's file has its indexes as long as it is open.
        if opening.options.backing == nil { try schema.requireIndexes() }
        guard let hashes = VersionHashes(of: model.model, configuration: opening.configuration) else {
            throw .unknownConfiguration(opening.configuration)
        }
        self.hashes = hashes
    }

    func run() throws(StoreError) {
        let temporary = ".\(opening.fileName).new"
        try removeRests(of: temporary)
        do throws(StoreError) {
            try write(temporary)
            try translatingSystem { () throws(LinuxError) in
                try StoreFile.removeLogs(of: opening.fileName, in: opening.folder)
                try opening.folder.rename(temporary, to: opening.fileName, replacing: false)
                try opening.folder.synchronize()
            }
        } catch {
            try removeRests(of: temporary)
            throw error
        }
    }

    private func removeRests(of temporary: String) throws(StoreError) {
        try translatingSystem { () throws(LinuxError) in
            for suffix in [""] + StoreFile.logSuffixes { try opening.folder.unlink(temporary + suffix) }
        }
    }

    private func write(_ temporary: String) throws(StoreError) {
        let triggers = try schema.derivedTriggers()
        let path = try translatingSystem { () throws(LinuxError) in try opening.folder.procPath(temporary) }
        try translating { () throws(SQLiteError) in
            let connection = try SQLiteConnection(
                path: path, name: opening.path, keeping: opening.folder, mode: .readWriteCreate,
                vfs: opening.vfs)
            _ = try connection.pragma("page_size", "4096")
            _ = try connection.pragma("auto_vacuum", "2")
            _ = try connection.pragma("synchronous", "FULL")
            try connection.begin(.immediate)
            for statement in schema.creationStatements { try connection.execute(statement) }
            for trigger in triggers { try connection.execute(trigger.sql) }
            try writeMetadata(on: connection)
            try Self.keep(model, on: connection)
            try RetentionTime.begin(now: opening.options.environment.now(), on: connection)
            try writeModelCache(on: connection)
            try Self.addTombstoneColumns(for: schema, on: connection)
            if !schema.externalColumns.isEmpty { try connection.execute(FixedTables.external) }
            try TextIndexes(schema.textIndexes, on: connection).prepare()
            try connection.commit()
            // Kept in the file's header.
            _ = try connection.pragma("journal_mode", opening.pragmas.journal.pragma)
        }
    }

    private func writeMetadata(on connection: SQLiteConnection) throws(SQLiteError) {
        let backing = opening.options.backing
        let metadata =
            backing?.seed?.metadata
            ?? StoreMetadata(
                hashes: hashes, versionIdentifiers: model.model.versionIdentifiers,
                frameworkVersion: Self.frameworkVersion)
        let uuid = backing?.seed?.uuid ?? opening.options.environment.makeUUID()
        let statement = try connection.prepare(
            "INSERT INTO Z_METADATA(Z_VERSION, Z_UUID, Z_PLIST) VALUES(1, ?1, ?2)")
        try statement.bind(uuid.uuidString, at: 1)
        try statement.bind(metadata.propertyList(), at: 2)
        try statement.run()
    }
}

extension StoreCreation {
    /// Keeps the model as Core Data does, for its own tools and for others that read such stores.
    private func writeModelCache(on connection: SQLiteConnection) throws(SQLiteError) {
        let statement = try connection.prepare("INSERT INTO Z_MODELCACHE(Z_CONTENT) VALUES(?1)")
        try statement.bind(ModelCache.content(of: model.model), at: 1)
        try statement.run()
    }

    /// Whether a model is the one that a store of ours keeps.
    static func keeps(_ model: StoreModel, on connection: SQLiteConnection) throws(SQLiteError) -> Bool {
        let current = try connection.prepare("SELECT 1 FROM COFFER_STATE WHERE name = 'model' AND value = ?1")
        try current.bind(model.id, at: 1)
        return try current.step()
    }

    /// Keeps the packed model as the store's own, if the store does not have it already.
    static func keep(_ model: StoreModel, on connection: SQLiteConnection) throws(SQLiteError) {
        if try keeps(model, on: connection) { return }
        let insert = try connection.prepare("INSERT OR REPLACE INTO COFFER_MODEL(id, model) VALUES(?1, ?2)")
        try insert.bind(model.id, at: 1)
        try insert.bind(model.bytes, at: 2)
        try insert.run()
        let note = try connection.prepare(
            "INSERT OR REPLACE INTO COFFER_STATE(name, value) VALUES('model', ?1)")
        try note.bind(model.id, at: 1)
        try note.run()
    }

    /// Moves what older stores of ours had in columns of Core Data's ATRANSACTION into a table of its own,
    /// and drops the columns; inside the transaction.
    static func moveFormerColumns(on connection: SQLiteConnection) throws(SQLiteError) {
        let statement = try connection.prepare("SELECT name FROM pragma_table_info('ATRANSACTION')")
        var names: Set<String> = []
        while try statement.step() { names.insert(statement.text(0)) }
        statement.reset()
        let former = FixedTables.formerColumns
        guard former.contains(where: names.contains) else { return }
        if names.contains(former[0]) {
            let values = former.map { names.contains($0) ? $0 : "NULL" }.joined(separator: ", ")
            try connection.execute(
                "INSERT OR REPLACE INTO \(FixedTables.transactionTable)(number, first, client, sequence, reply) "
                    + "SELECT Z_PK, \(values) FROM ATRANSACTION WHERE \(former[0]) IS NOT NULL")
        }
        for name in former where names.contains(name) {
            try connection.execute("ALTER TABLE ATRANSACTION DROP COLUMN \(name)")
        }
    }

    /// The number of columns in which history keeps values of deleted objects.
    static func tombstoneCount(for schema: SQLSchema) -> Int {
        schema.model.entities.filter { schema.entities[$0.index] != nil }
            .map { $0.attributes.count { $0.preservesValueOnDeletion && !$0.isTransient } }.max() ?? 0
    }

    /// Adds the columns in which history keeps values of deleted objects.
    static func addTombstoneColumns(
        for schema: SQLSchema, on connection: SQLiteConnection
    ) throws(SQLiteError) {
        let needed = tombstoneCount(for: schema)
        let statement = try connection.prepare(
            "SELECT count(*) FROM pragma_table_info('ACHANGE') WHERE name GLOB 'ZTOMBSTONE*'")
        let present = try statement.step() ? Int(statement.int64(0)) : 0
        statement.reset()
        guard needed > present else { return }
        for number in present..<needed {
            try connection.execute("ALTER TABLE ACHANGE ADD COLUMN ZTOMBSTONE\(number) BLOB")
        }
    }
}
