internal import CofferModel
internal import CofferSQLite

extension MigrationPlan {
    /// Looks at a store that is open with the model that it keeps.
    init(of file: StoreFile, to model: StoreModel) throws(StoreError) {
        self.init()
        isIdle = file.model.id == model.id
        if isIdle { return }
        let connection = try file.makeReader()
        let layout: MigrationLayout
        do throws(StoreError) {
            layout = try StoreMigration.layout(of: file, to: model)
        } catch .unmigratable(_, let found) {
            obstacles = found
            return
        }
        try translating { () throws(SQLiteError) in
            try MigrationFunctions.register(on: connection)
            try connection.begin(.deferred)
        }
        let check = MigrationCheck(layout: layout, connection: connection)
        let items = try translating { () throws(SQLiteError) in try SchemaItems(reading: connection) }
        obstacles = try check.foreignObstacles(in: items) + check.obstacles()
        entities = try translating { () throws(SQLiteError) in
            try MigrationSurvey(layout: layout, connection: connection).entities()
        }
        copiedTables = layout.tables.filter { $0.way == .copied }.map(\.table.name)
        let pages = try translating { () throws(SQLiteError) in
            (
                Int(try connection.pragma("page_count") ?? "") ?? 0,
                Int(try connection.pragma("page_size") ?? "") ?? 0
            )
        }
        // Rows that move are written twice, into the log and from there into the file.
        byteCount = pages.0 * pages.1 * (layout.movesRows ? 2 : 1)
        try translating { () throws(SQLiteError) in try connection.rollback() }
    }
}
