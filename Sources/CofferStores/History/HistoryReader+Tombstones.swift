internal import CofferModel
internal import CofferSQLite
internal import CofferWire

extension HistoryReader {
    /// Adds to deletes the values of the objects that history preserves; `first` is the key of the group's
    /// first change.
    func addTombstones(to group: inout ChangeGroup, from first: Int64) throws(SQLiteError) {
        let plan = EntityPlan(tombstones: group.entity, in: file.schema)
        let preserved = plan.history.preserved.prefix(tombstoneColumns)
        if preserved.isEmpty { return }
        let properties = preserved.compactMap { plan.properties[$0.property] }
        let names = properties.indices.map { place in
            "ZTOMBSTONE\(place)" + (properties[place].attribute?.type == .decimal ? ", NULL" : "")
        }
        let statement = try connection.cached(
            "SELECT \(names.joined(separator: ", ")) FROM ACHANGE WHERE Z_PK >= ?1 ORDER BY Z_PK LIMIT ?2")
        defer { statement.reset() }
        try statement.bind(first, at: 1)
        try statement.bind(Int64(group.primaryKeys.count), at: 2)
        var columns = properties.map(StoredColumn.init)
        var row = 0
        while try statement.step() {
            var place = 0
            for index in columns.indices {
                // A value in an external file was removed with its object.
                place += try columns[index].append(from: statement, place, row: row, external: nil)
            }
            row += 1
        }
        // In a history that others wrote, other changes may stand in between.
        guard row == group.primaryKeys.count else { return }
        group.columns = columns.map { $0.whole(rowCount: row) }
    }

    /// How many columns for preserved values the file has.
    static func tombstoneColumns(on connection: SQLiteConnection) throws(SQLiteError) -> Int {
        let statement = try connection.prepare(
            "SELECT count(*) FROM pragma_table_info('ACHANGE') WHERE name GLOB 'ZTOMBSTONE*'")
        return try statement.step() ? Int(statement.int64(0)) : 0
    }
}

extension EntityPlan {
    fileprivate convenience init(tombstones entity: Int, in schema: SQLSchema) {
        guard let stored = schema.entities[entity] else {
            preconditionFailure("changes of entities that are not stored are left out")
        }
        self.init(stored, in: schema)
    }
}
