internal import CofferModel
internal import CofferSQLite

// Relationships: the tables of many-to-many ones, and links that are written again.

extension MigrationRun {
    /// Takes out the links that are written again, before any table changes.
    func collectLinks() throws(SQLiteError) {
        for (number, pair) in layout.pairs.enumerated() where pair.isRelinked && pair.isStored {
            let name = Self.links(number)
            try connection.execute(
                "CREATE TEMP TABLE \(name) (a INTEGER, b INTEGER, pa INTEGER, pb INTEGER, PRIMARY KEY (a, b)) "
                    + "WITHOUT ROWID")
            for sql in pair.sources.compactMap({ $0.sql(in: layout.source) }) {
                try connection.execute("INSERT OR IGNORE INTO temp.\(name) \(sql)")
            }
        }
    }

    private static func links(_ number: Int) -> String { "COFFER_LINKS_\(number)" }
    private static func chosen(_ number: Int) -> String { "COFFER_CHOSEN_\(number)" }

    /// Brings the tables of many-to-many relationships from the old form into the new one.
    func changeJoins() throws(SQLiteError) {
        for table in layout.emptiedJoins { try connection.execute("DROP TABLE main.\(table.identifier)") }
        let joins = layout.pairs.compactMap(\.join)
        for (number, join) in joins.enumerated() where join.origin.name != join.table.name {
            try connection.execute(
                "ALTER TABLE main.\(join.origin.identifier) RENAME TO COFFER_FORMER_JOIN_\(number)")
        }
        for (number, join) in joins.enumerated() {
            if join.origin.name != join.table.name {
                try connection.execute(
                    "ALTER TABLE main.COFFER_FORMER_JOIN_\(number) RENAME TO \(join.table.identifier)")
            }
            let name = "main.\(join.table.identifier)"
            try rename(join.renamedColumns, in: name)
            for filter in join.filters {
                try connection.execute(
                    "DELETE FROM \(name) WHERE NOT EXISTS (SELECT 1 FROM main.\(filter.table) o "
                        + "WHERE o.Z_PK = \(filter.column) AND o.Z_ENT IN (\(SQLName.list(filter.numbers))))")
            }
        }
        let carried = Set(joins.map(\.table.name))
        for table in layout.destination.joinTables where !carried.contains(table.name) {
            try connection.execute(layout.destination.creation(of: table))
        }
    }

    /// Writes the links that were taken out.
    func writeLinks() throws(SQLiteError) {
        for (number, pair) in layout.pairs.enumerated() where pair.isRelinked && pair.isStored {
            switch pair.form {
            case .toOne: try writeToOne(pair, number)
            case .manyToMany: try writeMembers(pair, Self.links(number))
            case .toMany: try writeOwners(pair, number)
            case .attribute, .unsupported: break
            }
            try connection.execute("DROP TABLE temp.\(Self.links(number))")
        }
    }

    private func writeMembers(_ pair: PairMigration, _ links: String) throws(SQLiteError) {
        guard case .manyToMany(let table, let own, let end, let order, _) = pair.form else { return }
        var columns = [own, end]
        var values = ["a", "b"]
        if let order {
            columns.append(order)
            values.append(Self.place(in: "a", by: "pa, b"))
        }
        if !pair.isReflexive, case .manyToMany(_, _, _, let order?, _)? = pair.other?.form {
            columns.append(order)
            values.append(Self.place(in: "b", by: "pb, a"))
        }
        let insertion = "INSERT OR IGNORE INTO main.\(table) (\(columns.joined(separator: ", ")))"
        try connection.execute("\(insertion) SELECT \(values.joined(separator: ", ")) FROM temp.\(links)")
    }

    /// The place of a row among those that agree in one column, as Core Data counts places in a new list.
    private static func place(in column: String, by order: String) -> String {
        "1024 * (1 + row_number() OVER (PARTITION BY \(column) ORDER BY \(order)))"
    }

    /// Writes the owners of the members of a set without inverse into the members' rows.
    private func writeOwners(_ pair: PairMigration, _ number: Int) throws(SQLiteError) {
        guard case .toMany(let table, let key, _, let order, _) = pair.form else { return }
        var assignments = ["\(key) = k.a"]
        if let order { assignments.append("\(order) = k.place") }
        let chosen = Self.choice(of: pair, from: "temp.\(Self.links(number))")
        try connection.execute(
            "UPDATE main.\(table) SET \(assignments.joined(separator: ", ")) "
                + "FROM (SELECT a, b, \(Self.place(in: "a", by: "pa, b")) AS place FROM (\(chosen))) k "
                + "WHERE main.\(table).Z_PK = k.b")
    }

    private func writeToOne(_ pair: PairMigration, _ number: Int) throws(SQLiteError) {
        let chosen = Self.chosen(number)
        try connection.execute(
            "CREATE TEMP TABLE \(chosen) AS \(Self.choice(of: pair, from: "temp.\(Self.links(number))"))")
        try connection.execute("CREATE INDEX temp.\(chosen)_A ON \(chosen) (a)")
        try connection.execute("CREATE INDEX temp.\(chosen)_B ON \(chosen) (b)")
        var order: String?
        if case .toMany(_, _, _, let column, _)? = pair.other?.form { order = column }
        try set(pair.owner, pair.form, of: "a", to: "b", order: order, from: chosen)
        if let other = pair.other, !pair.isReflexive, case .toOne = other.form {
            try set(other.relationship, other.form, of: "b", to: "a", order: nil, from: chosen)
        }
        try connection.execute("DROP TABLE temp.\(chosen)")
    }

    /// SQL of the links that stay if an end holds one object: the first by its place, else by its key.
    static func choice(of pair: PairMigration, from links: String) -> String {
        switch pair.form {
        case .toOne: break
        case .toMany:
            // A member of a set without inverse has one owner.
            return
                "SELECT a, b, pa, pb FROM (SELECT a, b, pa, pb, row_number() OVER (PARTITION BY b ORDER BY pb, a) n "
                + "FROM \(links)) WHERE n = 1"
        case .manyToMany, .attribute, .unsupported: return "SELECT a, b, pa, pb FROM \(links)"
        }
        let first =
            "SELECT a, b, pa, pb FROM (SELECT a, b, pa, pb, row_number() OVER (PARTITION BY a ORDER BY pa, b) n "
            + "FROM \(links)) WHERE n = 1"
        guard let other = pair.other, !other.relationship.isToMany else { return first }
        if pair.isReflexive {
            return "WITH f AS (\(first)) SELECT f.* FROM f JOIN f g ON g.a = f.b AND g.b = f.a"
        }
        return
            "SELECT a, b, pa, pb FROM (SELECT a, b, pa, pb, row_number() OVER (PARTITION BY b ORDER BY pb, a) n "
            + "FROM (\(first))) WHERE n = 1"
    }

    /// Writes the columns of a to-one relationship.
    private func set(
        _ relationship: RelationshipDescription, _ form: SQLProperty, of from: String, to: String,
        order: String?, from chosen: String
    ) throws(SQLiteError) {
        guard case .toOne(let column, let entityColumn, _) = form,
            let table = layout.destination.table(of: relationship.declaringEntityIndex),
            let target = layout.destination.table(of: relationship.destinationIndex)
        else { return }
        var assignments = ["\(column) = k.\(to)"]
        if let entityColumn { assignments.append("\(entityColumn) = k.number") }
        if let order { assignments.append("\(order) = k.place") }
        let number = "(SELECT t.Z_ENT FROM main.\(target) t WHERE t.Z_PK = c.\(to)) AS number"
        let place = "\(Self.place(in: "b", by: "pb, a")) AS place"
        try connection.execute(
            "UPDATE main.\(table) SET \(assignments.joined(separator: ", ")) "
                + "FROM (SELECT a, b, \(number), \(place) FROM temp.\(chosen) c) k "
                + "WHERE main.\(table).Z_PK = k.\(from)")
    }
}
