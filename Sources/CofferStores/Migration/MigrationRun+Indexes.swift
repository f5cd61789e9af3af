internal import CofferModel
internal import CofferSQLite

// What is made from tables and can be made again: indexes, and what we keep beside texts.

extension MigrationRun {
    /// Takes away the indexes that the new model does not ask for, or asks for otherwise, and all of tables
    /// that do not stay; others' stay with their tables, or are made again on what their tables become.
    func dropIndexes() throws(SQLiteError) {
        let wanted = Set(layout.destination.indexStatements)
        let models = Set((layout.source.indexStatements + wanted).map(SQLName.ofIndex))
        let staying = Set(
            layout.tables.filter { !$0.isRenamed }.map(\.table.name)
                + layout.pairs.compactMap(\.join).filter { !$0.isRenamed }.map(\.table.name))
        // These go along with their tables' new names.
        let altered = Set(layout.tables.filter { $0.way == .altered }.compactMap { $0.origin?.name })
        let own = Set(layout.source.tables.map(\.name) + layout.source.joinTables.map(\.name))
        let statement = try connection.prepare(
            "SELECT name, tbl_name, sql FROM main.sqlite_master WHERE type = 'index' AND sql NOT NULL")
        var dropped: [String] = []
        while try statement.step() {
            let (name, table, sql) = (statement.text(0), statement.text(1), statement.text(2))
            guard own.contains(table) else { continue }
            if models.contains(name) {
                if staying.contains(table), wanted.contains(sql) { continue }
            } else {
                if staying.contains(table) || altered.contains(table) { continue }
                foreignIndexes.append((table, sql, try columns(ofIndex: name)))
            }
            dropped.append(name)
        }
        statement.reset()
        for name in dropped { try connection.execute("DROP INDEX main.\(SQLName.quoted(name))") }
    }

    /// The columns of an index; `nil` for what is not a column.
    private func columns(ofIndex name: String) throws(SQLiteError) -> [String?] {
        let statement = try connection.prepare("SELECT name FROM pragma_index_info(?1)")
        try statement.bind(name, at: 1)
        var columns: [String?] = []
        while try statement.step() { columns.append(statement.isNull(0) ? nil : statement.text(0)) }
        return columns
    }

    /// Makes others' indexes of tables that were copied; one whose columns or table are gone has nothing to
    /// find.
    private func makeForeignIndexes() throws(SQLiteError) {
        for index in foreignIndexes {
            let statement = try connection.prepare("SELECT name FROM pragma_table_info(?1)")
            try statement.bind(index.table, at: 1)
            var present: Set<String?> = []
            while try statement.step() { present.insert(statement.text(0)) }
            statement.reset()
            if present.isSuperset(of: index.columns) { try connection.execute(index.sql) }
        }
    }

    /// Takes away the r-trees that the new model does not ask for on a table that stays, with their triggers,
    /// which only follow tables that stay as they are.
    func dropTrees() throws(SQLiteError) {
        let wanted = Set(layout.destination.trees.map { $0.tree.form(on: $0.table) })
        for (tree, table) in layout.source.trees where !wanted.contains(tree.form(on: table)) {
            try execute(tree.removal)
        }
    }

    /// Makes the r-trees that are not there, of what their tables have.
    func makeTrees() throws(SQLiteError) {
        let statement = try connection.prepare("SELECT name FROM main.sqlite_master WHERE type = 'table'")
        var present: Set<String> = []
        while try statement.step() { present.insert(statement.text(0)) }
        statement.reset()
        for (tree, table) in layout.destination.trees where !present.contains(tree.name) {
            try execute(tree.statements(on: table, filling: true))
        }
    }

    /// Whether an index has a name that Core Data or we give them.
    static func isModels(_ name: String) -> Bool { name.hasPrefix("Z") }

    /// Makes the indexes that are not there.
    ///
    /// - Throws: `unmigratable` if rows agree in values that have to be unique; for columns whose links
    ///   were written again, only this step finds it out.
    func makeIndexes() throws(StoreError) {
        let present = try translating { () throws(SQLiteError) in
            let statement = try connection.prepare(
                "SELECT sql FROM main.sqlite_master WHERE type = 'index' AND sql NOT NULL")
            var texts: Set<String> = []
            while try statement.step() { texts.insert(statement.text(0)) }
            return texts
        }
        try checkUniqueness()
        try translating { () throws(SQLiteError) in
            try execute(layout.destination.indexStatements.filter { !present.contains($0) })
            try makeForeignIndexes()
            try makeTrees()
        }
    }

    private func checkUniqueness() throws(StoreError) {
        var obstacles: [MigrationObstacle] = []
        let check = MigrationCheck(layout: layout, connection: connection)
        let relinked = Set(
            layout.pairs.filter(\.isRelinked).flatMap { pair -> [String] in
                [pair.form, pair.other?.form].compactMap { form in
                    if case .toOne(let column, _, _)? = form { SQLName.ready(column) } else { nil }
                }
            })
        for table in layout.tables {
            for (entity, constraint, columns) in layout.destination.uniqueConstraints(on: table.table)
            where !relinked.isDisjoint(with: columns) {
                let groups = try translating { () throws(SQLiteError) in
                    try check.groups(of: columns, among: table.numbers.map(\.new), in: table.table.name)
                }
                if groups.count == 0 { continue }
                obstacles.append(
                    .duplicates(
                        entity: entity.name, constraint: constraint, count: groups.count, groups: groups.first
                    ))
            }
        }
        if !obstacles.isEmpty { throw .unmigratable(path: file.path, obstacles: obstacles) }
    }

    /// Takes away full-text indexes and sort keys of tables that do not stay as they are; the former are
    /// made again with the model, the latter when they are asked for.
    func dropTextIndexes(_ tables: Set<String>) throws(SQLiteError) {
        let changed = Set(
            layout.emptiedTables + layout.tables.filter(\.isRenamed).compactMap { $0.origin?.name })
        for name in changed {
            try TextIndexes.remove(of: name, on: connection)
            if tables.contains(SortKeyTables.lists) { try execute(SortKeyTables.removal(name)) }
        }
    }
}
