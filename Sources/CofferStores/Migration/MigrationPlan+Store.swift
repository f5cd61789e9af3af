internal import CofferFormats
internal import CofferLinux
internal import CofferModel
internal import CofferSQLite
internal import CofferWire

extension MigrationPlan {
    /// Looks at a store that is open with the model that it keeps.
    init(
        of file: StoreFile, to model: StoreModel, by mapping: MappingModel?,
        while goesOn: @escaping () -> Bool
    ) throws(StoreError) {
        self.init()
        isIdle = file.model.id == model.id
        if isIdle { return }
        let connection = try file.makeReader()
        connection.setProgressHandler(everyInstructions: Limits.migrationInstructions) { !goesOn() }
        isReturn = try Self.isReturn(to: model, of: file, on: connection)
        let layout: MigrationLayout
        do throws(StoreError) {
            layout = try StoreMigration.layout(of: file, to: model, by: mapping)
        } catch .unmigratable(_, let found) {
            obstacles = found
            return
        }
        try translating { () throws(SQLiteError) in
            try MigrationFunctions.register(on: connection, for: layout, now: file.environment.now())
            try connection.begin(.deferred)
        }
        let check = MigrationCheck(layout: layout, connection: connection)
        let items = try translating { () throws(SQLiteError) in try SchemaItems(reading: connection) }
        obstacles = try check.foreignObstacles(in: items) + check.obstacles()
        entities = try translating { () throws(SQLiteError) in
            try MigrationSurvey(layout: layout, connection: connection).entities()
        }
        copiedTables = layout.tables.filter { $0.way == .copied }.map(\.table.name)
        let cost = try MigrationCost(layout, of: file, on: connection)
        seconds = try cost.seconds(by: file.environment.elapsed)
        let whole = try Self.wholeFileBytes(of: file, keepsCopy: dropsData)
        byteCount = if let whole { whole } else { try cost.byteCount(keepsCopy: dropsData) }
        try translating { () throws(SQLiteError) in try connection.rollback() }
    }

    /// Bytes that a new file takes beside the old one, if the file is written as a whole; else `nil`.
    private static func wholeFileBytes(of file: StoreFile, keepsCopy: Bool) throws(StoreError) -> Int? {
        guard file.backing != nil, let home = file.home else { return nil }
        let facts = try translatingSystem { () throws(LinuxError) in try home.folder.facts(of: home.fileName)
        }
        return facts.map { $0.byteCount * (keepsCopy ? 2 : 1) }
    }

    /// Whether a store was taken on from just this model, or one with the same entities by their hashes: it
    /// keeps those that it had.
    static func isReturn(
        to model: StoreModel, of file: StoreFile, on connection: SQLiteConnection
    ) throws(StoreError) -> Bool {
        guard file.hasOwnTables else { return false }
        let former = try translating { () throws(SQLiteError) in
            let statement = try connection.prepare("SELECT id, model FROM COFFER_MODEL")
            var former: [(id: [UInt8], bytes: [UInt8])] = []
            while try statement.step() {
                if statement.blob(0) != file.model.id {
                    former.append((statement.blob(0), statement.blob(1)))
                }
            }
            return former
        }
        if former.contains(where: { $0.id == model.id }) { return true }
        guard let wanted = VersionHashes(of: model.model, configuration: file.configuration)?.entities,
            wanted != VersionHashes(of: file.model.model, configuration: file.configuration)?.entities
        else { return false }
        for (_, bytes) in former {
            // A model that cannot be read any more is not one that an application still has.
            guard let model = try? ModelMessage.unpack(bytes) else { continue }
            if VersionHashes(of: model, configuration: file.configuration)?.entities == wanted { return true }
        }
        return false
    }
}
