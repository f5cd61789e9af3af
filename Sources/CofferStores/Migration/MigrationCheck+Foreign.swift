internal import CofferModel
internal import CofferSQLite

// What another program has put into a file, and a migration could not keep right.

extension MigrationCheck {
    /// Triggers and indexes of others, and trees of ranges that follow a table which changes its form.
    func foreignObstacles(in schema: SchemaItems) throws(StoreError) -> [MigrationObstacle] {
        var obstacles: [MigrationObstacle] = []
        switch schema.trust(of: layout.source) {
        case .unknown(let item): obstacles.append(.foreign(item: item))
        case .bounded:
            obstacles += layout.source.foreignTriggers(among: schema.triggers).sorted().map {
                .foreign(item: "trigger '\($0)'")
            }
        case .known: break
        }
        return obstacles
            + (try translating { () throws(SQLiteError) in
                try followers()
            })
    }

    /// What follows tables that are copied, renamed or dropped, and is not ours to make again.
    private func followers() throws(SQLiteError) -> [MigrationObstacle] {
        let changed = Set(
            layout.emptiedTables + layout.tables.filter(\.isRenamed).compactMap { $0.origin?.name })
        if changed.isEmpty { return [] }
        let statement = try connection.prepare(
            "SELECT type, name, tbl_name FROM main.sqlite_master WHERE type = 'trigger' AND name GLOB 'Z_RT_*' "
                + "OR type = 'index' AND sql NOT NULL ORDER BY name")
        let copied = Set(layout.tables.filter { $0.way == .copied }.compactMap { $0.origin?.name })
        var obstacles: [MigrationObstacle] = []
        while try statement.step() {
            let (type, name, table) = (statement.text(0), statement.text(1), statement.text(2))
            // An index goes along with a new name; of what is gone it has nothing to find.
            let isLost =
                type == "index"
                ? copied.contains(table) && !MigrationRun.isModels(name) : changed.contains(table)
            if isLost { obstacles.append(.foreign(item: "\(type) '\(name)'")) }
        }
        return obstacles
    }
}
