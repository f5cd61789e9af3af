internal import CofferModel
internal import CofferSQLite

// The exact digits of decimals, which stand in a table of ours by the names of tables and columns.

extension MigrationRun {
    private static let digits = "COFFER_DIGITS"

    /// Decimals of either model, with the table that they are in.
    private var decimals: [(table: TableMigration, column: TableMigration.Column)] {
        layout.tables.flatMap { table in
            table.columns.filter { $0.digits != nil }.map { (table, $0) }
        }
    }

    /// Whether some exact digits belong elsewhere from now on, or to nothing.
    private var digitsChange: Bool {
        let past = layout.source.tables.flatMap(\.columns).contains { $0.type == "DECIMAL" }
        return past || !decimals.isEmpty
            ? layout.movesRows || layout.tables.contains { !$0.addedColumns.isEmpty } : false
    }

    /// Finds the digits of the new columns, before any table changes.
    func collectDigits() throws(SQLiteError) {
        guard digitsChange else { return }
        try connection.execute(
            "CREATE TEMP TABLE \(Self.digits) (relation VARCHAR, key INTEGER, property VARCHAR, digits VARCHAR)"
        )
        for (table, column) in decimals {
            guard let origin = table.origin, let digits = column.digits?.sql(), digits != "NULL" else {
                continue
            }
            try connection.execute(
                "INSERT INTO temp.\(Self.digits) SELECT '\(table.table.name)', Z_PK, \(SQLLiteral.string(column.name)), d "
                    + "FROM (SELECT Z_PK, \(digits) AS d FROM main.\(origin.name) "
                    + "WHERE Z_ENT IN (\(SQLName.list(table.numbers.map(\.old))))) WHERE d NOT NULL")
        }
    }

    /// Puts the digits in the place of those of before.
    func replaceDigits() throws(SQLiteError) {
        guard digitsChange else { return }
        try execute([
            "DELETE FROM main.COFFER_DECIMAL",
            "INSERT OR REPLACE INTO main.COFFER_DECIMAL (relation, key, property, digits) "
                + "SELECT relation, key, property, digits FROM temp.\(Self.digits)",
            "DROP TABLE temp.\(Self.digits)",
        ])
    }
}
