internal import CofferModel
internal import CofferSQLite

// What in a file somebody else has put there, and a migration could not keep right.

extension MigrationCheck {
    /// Triggers and indexes of others, trees of ranges that follow a table which changes its form, and
    /// relationships that only Core Data has a place for.
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
                try followers() + oneEndedSets()
            })
    }

    /// What follows tables that are copied, renamed or dropped, and is not ours to make anew.
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

    /// Sets without an inverse, which Core Data keeps in a column of the other table that has the owner's
    /// number in its name.
    private func oneEndedSets() throws(SQLiteError) -> [MigrationObstacle] {
        var obstacles: [MigrationObstacle] = []
        for entity in layout.source.model.entities {
            for relationship in entity.relationships
            where relationship.declaringEntityIndex == entity.index && relationship.isToMany
                && relationship.inverse == nil && !relationship.isTransient
            {
                guard let table = layout.source.table(of: relationship.destinationIndex) else { continue }
                let column = "Z\(layout.source.numbers[entity.index])" + relationship.name.uppercased()
                let present = try connection.prepare("SELECT 1 FROM pragma_table_info(?1) WHERE name = ?2")
                try present.bind(table, at: 1)
                try present.bind(column, at: 2)
                guard try present.step() else { continue }
                let count = try count(
                    "SELECT count(*) FROM main.\(table) WHERE \(SQLName.quoted(column)) NOT NULL")
                if count > 0 {
                    obstacles.append(
                        .unstorable(entity: entity.name, relationship: relationship.name, count: count))
                }
            }
        }
        return obstacles
    }
}
