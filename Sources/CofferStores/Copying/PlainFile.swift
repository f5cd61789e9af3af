internal import CofferSQLite

/// Removes history and Coffer's own tables from a store's file that no client knows of yet.
enum PlainFile {
    private static let history = ["ACHANGE", "ATRANSACTION", "ATRANSACTIONSTRING"]

    /// Makes the file one that has only what Core Data itself gives a store without history.
    static func make(of connection: SQLiteConnection) throws(SQLiteError) {
        try connection.begin(.immediate)
        // A full-text index takes its tables along.
        while let item = try nextOwn(connection) {
            try connection.execute("DROP \(item.type.uppercased()) main.\(SQLName.quoted(item.name))")
        }
        for table in history { try connection.execute("DROP TABLE IF EXISTS main.\(table)") }
        try connection.execute(
            "DELETE FROM Z_PRIMARYKEY WHERE Z_ENT BETWEEN \(FixedTables.changeEntity) AND \(FixedTables.stringEntity)"
        )
        try connection.commit()
    }

    private static func nextOwn(
        _ connection: SQLiteConnection
    ) throws(SQLiteError) -> (type: String, name: String)? {
        let statement = try connection.prepare(
            "SELECT type, name FROM main.sqlite_master WHERE name GLOB 'COFFER_*' AND type IN ('table', 'trigger') "
                + "ORDER BY type = 'trigger' DESC, sql GLOB 'CREATE VIRTUAL*' DESC LIMIT 1")
        guard try statement.step() else { return nil }
        return (statement.text(0), statement.text(1))
    }
}
