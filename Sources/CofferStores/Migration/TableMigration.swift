internal import CofferModel

/// What becomes of one table of entities.
struct TableMigration: Sendable {
    /// How the table comes about.
    enum Way: Sendable, Equatable {
        /// It has no rows from before.
        case made
        /// The table of before is renamed, and its columns are renamed and added to.
        case altered
        /// Rows of the table of before are copied into a new one.
        case copied
    }

    /// One column.
    struct Column: Sendable {
        /// Its name, ready to stand in SQL.
        let name: String
        /// Its declared type.
        let type: String
        /// By the numbers that rows had: where their values come from.
        let rules: [(number: Int, rule: ColumnRule)]

        /// Where the values of all rows come from.
        var value: RowExpression { .choosing(rules.map { ($0.number, $0.rule.value) }) }

        /// The exact digits of its values; `nil` if none can have any.
        var digits: RowExpression? {
            rules.contains { $0.rule.digits != nil }
                ? .choosing(rules.map { ($0.number, $0.rule.digits ?? .null) }) : nil
        }

        /// The columns that it carries on.
        var homes: Set<String> { Set(rules.compactMap(\.rule.home)) }

        /// The numbers of rows in which it changes, if it carries a column on.
        var changedNumbers: [Int] {
            let home = homes.first
            return rules.filter { $0.rule.value != (home.map(RowExpression.column) ?? .null) }.map(\.number)
        }
    }

    /// The table.
    let table: SQLTable
    /// The table that its rows were in.
    let origin: SQLTable?
    /// The numbers that rows had, and those that they get.
    let numbers: [(old: Int, new: Int)]
    /// Of rows that were in the table of before and go.
    let removedNumbers: [Int]
    let columns: [Column]
    let way: Way
    /// Whether it has the rows of its origin to the last one, and all other tables none of them.
    let isAlone: Bool
}

extension TableMigration {
    /// Columns of before that get another name.
    var renamedColumns: [(old: String, new: String)] {
        guard way == .altered else { return [] }
        return columns.compactMap { column in
            column.homes.first.flatMap { $0 == column.name ? nil : ($0, column.name) }
        }
    }

    /// Columns that no row had.
    var addedColumns: [Column] { way == .altered ? columns.filter { $0.homes.isEmpty } : [] }

    /// Whether the table has another name or other names of columns than before, or is another one.
    var isRenamed: Bool { way != .altered || origin?.name != table.name || !renamedColumns.isEmpty }

    /// Whether rows are written again in their place.
    var changesRows: Bool {
        way == .altered
            && (!removedNumbers.isEmpty || numbers.contains { $0.old != $0.new }
                || columns.contains { !$0.changedNumbers.isEmpty })
    }

    /// Whether rows change that were there.
    var movesRows: Bool {
        way == .copied || isRenamed && way == .altered || !removedNumbers.isEmpty && way == .altered
            || numbers.contains { $0.old != $0.new }
            || columns.contains { !$0.homes.isEmpty && !$0.changedNumbers.isEmpty }
    }
}

/// Finds what becomes of the tables.
struct TableLayout {
    private(set) var tables: [TableMigration] = []

    init(
        _ source: SQLSchema, _ destination: SQLSchema, successors: [Int: Int], rules: ColumnRules
    ) {
        var heirs: [String: Int] = [:]
        var parts: [(table: SQLTable, origin: SQLTable?, numbers: [(old: Int, entity: Int)])] = []
        for table in destination.tables {
            let family = destination.model.entities[table.root].familyIndices
            let numbers = successors.filter { family.contains($0.value) }.sorted { $0.key < $1.key }
                .map { (old: $0.key, entity: $0.value) }
            let name = numbers.first.flatMap { source.entity(numbered: $0.old)?.table }
            let origin = source.tables.first { $0.name == name }
            if let origin { heirs[origin.name, default: 0] += 1 }
            parts.append((table, origin, numbers))
        }
        for (table, origin, numbers) in parts {
            let known = numbers.map { (number: $0.old, rules: rules.rules(of: $0.entity)) }
            let columns = table.columns.map { column in
                let name = SQLName.quoted(column.name)
                return TableMigration.Column(
                    name: name, type: column.type,
                    rules: known.map { ($0.number, $0.rules[name] ?? .empty) })
            }
            let isAlone = origin.map { heirs[$0.name] == 1 } ?? true
            let kept = Set(numbers.map(\.old))
            let all = source.entities.compactMap { $0 }.filter { $0.table == origin?.name }.map(\.number)
            tables.append(
                TableMigration(
                    table: table, origin: origin,
                    numbers: numbers.map { ($0.old, destination.numbers[$0.entity]) },
                    removedNumbers: all.filter { !kept.contains($0) }.sorted(), columns: columns,
                    way: Self.way(from: origin, columns, isAlone: isAlone), isAlone: isAlone))
        }
    }

    /// Whether all columns of the former table are carried on, each by one, and as they are declared.
    private static func way(
        from origin: SQLTable?, _ columns: [TableMigration.Column], isAlone: Bool
    ) -> TableMigration.Way {
        guard let origin else { return .made }
        guard isAlone else { return .copied }
        var types: [String: String] = [:]
        for column in origin.columns { types[SQLName.quoted(column.name)] = column.type }
        for column in columns {
            let homes = column.homes
            guard let home = homes.first else { continue }
            guard homes.count == 1, types.removeValue(forKey: home) == column.type else { return .copied }
        }
        return types.isEmpty ? .altered : .copied
    }
}
