internal import CofferModel
internal import CofferSQLite

/// References to objects that are not there.
///
/// Files of SQLite may have them, for example if the model has no inverse; a file that is written as a
/// whole could not be read again with them.
enum CopyReferences {
    /// Takes them out of a copy; says how many there were.
    static func removeDangling(of schema: SQLSchema, on connection: SQLiteConnection) throws(StoreError)
        -> Int
    {
        try translating { () throws(SQLiteError) in
            var (count, done) = (0, Set<String>())
            for entity in schema.entities.compactMap(\.self) {
                for stored in entity.columns {
                    guard let sql = try statement(removing: stored, of: entity, in: schema),
                        done.insert(sql).inserted
                    else { continue }
                    try connection.execute(sql)
                    count += connection.changes
                }
            }
            return count
        }
    }

    private static func statement(
        removing stored: SQLProperty?, of entity: SQLEntity, in schema: SQLSchema
    ) throws(SQLiteError) -> String? {
        switch stored {
        case .toOne(let column, _, let end):
            "UPDATE \(entity.table) AS o SET \(column) = NULL WHERE o.\(column) NOT NULL AND "
                + isMissing(column, end, in: schema)
        case .toMany(let table, let key, _, _, _):
            "UPDATE \(table) AS o SET \(key) = NULL WHERE o.\(key) NOT NULL AND "
                + isMissing(key, entity.index, in: schema, isOfTree: true)
        case .manyToMany(let table, let own, let other, _, let end):
            "DELETE FROM \(table) AS o WHERE \(isMissing(own, entity.index, in: schema, isOfTree: true)) "
                + "OR \(isMissing(other, end, in: schema))"
        case .attribute, .unsupported, nil: nil
        }
    }

    /// Says that there is no object of an entity, or of its tree, with the key in `column` of the row `o`.
    private static func isMissing(
        _ column: String, _ entity: Int, in schema: SQLSchema, isOfTree: Bool = false
    ) -> String {
        let root = schema.model.entities[entity].rootIndex
        let table = "Z" + schema.model.entities[root].name.uppercased()
        let family = schema.model.entities[isOfTree ? root : entity].familyIndices
        let numbers = SQLName.list(schema.numbers.known(of: family))
        return "NOT EXISTS (SELECT 1 FROM \(table) e WHERE e.Z_PK = o.\(column) AND e.Z_ENT IN (\(numbers)))"
    }
}
