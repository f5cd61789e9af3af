internal import CofferModel
internal import CofferSQLite

// The tables of entities.

extension MigrationRun {
    /// Takes away the tables of before, alters those that stay, and fills those that are new.
    func changeTables() throws(SQLiteError) {
        try moveAside()
        for table in layout.tables where table.way == .altered { try alter(table) }
        for table in layout.tables where table.way != .altered {
            let extra = try unknownColumns(of: table)
            try connection.execute(layout.destination.creation(of: table.table))
            for column in extra where !table.columns.contains(where: { $0.name == column.name }) {
                try connection.execute(
                    "ALTER TABLE main.\(table.table.name) ADD COLUMN \(column.name) \(column.type)")
            }
            if table.way == .copied { try copy(table, extra.map(\.name)) }
        }
        for name in layout.emptiedTables {
            try connection.execute("DROP TABLE main.\(formerNames[name] ?? name)")
        }
    }

    /// Gives names of no table of a store to tables whose names another may get.
    private func moveAside() throws(SQLiteError) {
        let staying = Set(
            layout.tables.filter { $0.way == .altered && $0.origin?.name == $0.table.name }.map(\.table.name))
        for (number, table) in layout.source.tables.enumerated() where !staying.contains(table.name) {
            let name = "COFFER_FORMER_\(number)"
            try connection.execute("ALTER TABLE main.\(table.name) RENAME TO \(name)")
            formerNames[table.name] = name
        }
    }

    private func alter(_ table: TableMigration) throws(SQLiteError) {
        guard let origin = table.origin else { return }
        let name = "main.\(table.table.name)"
        if let former = formerNames[origin.name] {
            try connection.execute("ALTER TABLE main.\(former) RENAME TO \(table.table.name)")
        }
        if !table.removedNumbers.isEmpty {
            try connection.execute(
                "DELETE FROM \(name) WHERE Z_ENT IN (\(SQLName.list(table.removedNumbers)))")
        }
        try rename(table.renamedColumns, in: name)
        for column in table.addedColumns {
            try connection.execute("ALTER TABLE \(name) ADD COLUMN \(column.name) \(column.type)")
        }
        try update(table)
    }

    /// Renames columns, whose new names others may still have.
    func rename(_ columns: [(old: String, new: String)], in table: String) throws(SQLiteError) {
        for (number, column) in columns.enumerated() {
            try connection.execute(
                "ALTER TABLE \(table) RENAME COLUMN \(column.old) TO COFFER_FORMER_\(number)")
        }
        for (number, column) in columns.enumerated() {
            try connection.execute(
                "ALTER TABLE \(table) RENAME COLUMN COFFER_FORMER_\(number) TO \(column.new)")
        }
    }

    /// Changes the rows of a table that stays, if anything of them changes.
    private func update(_ table: TableMigration) throws(SQLiteError) {
        let names = Dictionary(table.renamedColumns.map { ($0.old, $0.new) }) { first, _ in first }
        let present = { (name: String) in names[name] ?? name }
        var assignments: [String] = []
        var numbers: Set<Int> = []
        for column in table.columns {
            let changed = column.changedNumbers
            if changed.isEmpty { continue }
            numbers.formUnion(changed)
            assignments.append("\(column.name) = \(column.value.sql(present))")
        }
        let renumbered = table.numbers.filter { $0.old != $0.new }
        if !renumbered.isEmpty {
            numbers.formUnion(renumbered.map(\.old))
            assignments.append("Z_ENT = \(Self.number(of: table).sql(present))")
        }
        if assignments.isEmpty { return }
        let isAll = table.numbers.allSatisfy { numbers.contains($0.old) }
        let condition = isAll ? "" : " WHERE Z_ENT IN (\(SQLName.list(numbers.sorted())))"
        try connection.execute(
            "UPDATE main.\(table.table.name) SET \(assignments.joined(separator: ", "))\(condition)")
    }

    private func copy(_ table: TableMigration, _ extra: [String]) throws(SQLiteError) {
        guard let origin = table.origin, let former = formerNames[origin.name] else { return }
        let names = ["Z_PK", "Z_ENT", "Z_OPT"] + table.columns.map(\.name) + extra
        let values =
            ["Z_PK", Self.number(of: table).sql(), "Z_OPT"] + table.columns.map { $0.value.sql() } + extra
        try connection.execute(
            "INSERT INTO main.\(table.table.name) (\(names.joined(separator: ", "))) "
                + "SELECT \(values.joined(separator: ", ")) FROM main.\(former) "
                + "WHERE Z_ENT IN (\(SQLName.list(table.numbers.map(\.old))))")
    }

    /// The number that a row gets.
    private static func number(of table: TableMigration) -> RowExpression {
        if table.numbers.allSatisfy({ $0.old == $0.new }) { return .column("Z_ENT") }
        let cases = table.numbers.map { " WHEN \($0.old) THEN \($0.new)" }.joined()
        return "CASE \(column: "Z_ENT")\(cases) END"
    }

    /// Columns that another program has added to the table, which it keeps.
    private func unknownColumns(of table: TableMigration) throws(SQLiteError) -> [(
        name: String, type: String
    )] {
        guard let origin = table.origin else { return [] }
        let known = Set(["Z_PK", "Z_ENT", "Z_OPT"] + origin.columns.map { $0.name.uppercased() })
        let statement = try connection.prepare("SELECT name, type FROM pragma_table_info(?1)")
        try statement.bind(formerNames[origin.name] ?? origin.name, at: 1)
        var columns: [(String, String)] = []
        while try statement.step() {
            let name = statement.text(0)
            if known.contains(name.uppercased()) { continue }
            columns.append((SQLName.quoted(name), statement.text(1)))
        }
        return columns
    }
}
