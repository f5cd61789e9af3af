package import CofferSQLite

/// What the SQL in a file's own schema may do.
enum SchemaTrust: Sendable, Equatable {
    /// All of it is ours, or Core Data's to the letter.
    case known
    /// There are triggers that are neither ours nor Core Data's, but of a form whose running time is
    /// bounded.
    case bounded
    /// Something may run without end, which the payload names for people: the file is read under a time
    /// limit, and never written.
    case unknown(String)

    /// What makes the schema unknown, if it is.
    var unknownItem: String? { if case .unknown(let item) = self { item } else { nil } }
}

/// Everything in a file's schema that can make SQLite compute something.
package struct SchemaItems: Sendable {
    /// The texts of the triggers by their names, without those that keep r-trees.
    package let triggers: [String: String]
    /// Whether there are triggers that keep r-trees.
    let hasRTrees: Bool
    /// The first table or index of an unknown form, for people.
    package let unknownItem: String?
    /// The first virtual table, in the order of names, that nothing in the file which is known keeps along
    /// with the rows of other tables; our full-text indexes are not meant.
    let staleTable: String?
    /// The names of views and virtual tables in capitals; none of them may be a table of a store.
    private let virtualNames: Set<String>

    /// Reads the schema, and nothing else of the file.
    package init(reading connection: SQLiteConnection) throws(SQLiteError) {
        let statement = try connection.prepare("SELECT type, name, ifnull(sql, '') FROM sqlite_master")
        var triggers: [String: String] = [:]
        var virtualTables: [String: String] = [:]
        var virtualNames: Set<String> = []
        var unknown: String?
        while try statement.step() {
            let (type, name, sql) = (statement.text(0), statement.text(1), statement.text(2))
            switch type {
            case "trigger": triggers[name] = sql
            case "table":
                if SQLTokens(sql).all?.dropFirst().first?.word == "VIRTUAL" {
                    virtualTables[name] = sql
                    virtualNames.insert(name.uppercased())
                }
                if !SchemaForms.isBoundedTable(sql) { unknown = unknown ?? "table '\(name)'" }
            case "index":
                // Indexes of constraints have no text.
                if !sql.isEmpty, !SchemaForms.isBoundedIndex(sql) { unknown = unknown ?? "index '\(name)'" }
            default: virtualNames.insert(name.uppercased())
            }
        }
        let trees = RTreeTriggers(virtualTables: virtualTables)
        var keeping: [String: RTreeTriggers.Trigger] = [:]
        for (name, sql) in triggers { keeping[name] = trees.trigger(name, sql) }
        self.triggers = triggers.filter { keeping[$0.key] == nil }
        hasRTrees = !keeping.isEmpty
        staleTable = virtualTables.keys.sorted().first { name in
            !name.hasPrefix(TextIndex.prefix) && !RTreeTriggers.keep(name, Array(keeping.values))
        }
        unknownItem = unknown
        self.virtualNames = virtualNames
    }

    /// Which of a store's table names belongs to a view or a virtual table instead, whose code would run
    /// whenever it is read.
    func virtualName(among names: some Sequence<String>) -> String? {
        if virtualNames.isEmpty { return nil }
        return names.first { virtualNames.contains($0.uppercased()) }
    }

    /// What the file's own SQL may do, given the tables of `schema`.
    func trust(of schema: SQLSchema) -> SchemaTrust {
        if let unknownItem { return .unknown(unknownItem) }
        let foreign = schema.foreignTriggers(among: triggers)
        if let name = foreign.sorted().first(where: { !SchemaForms.isBoundedTrigger(triggers[$0] ?? "") }) {
            return .unknown("trigger '\(name)'")
        }
        return foreign.isEmpty ? .known : .bounded
    }
}
