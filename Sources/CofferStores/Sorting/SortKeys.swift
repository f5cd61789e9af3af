internal import CofferLinux
internal import CofferModel
internal import CofferSQLite

/// The kept sort keys of a file, on the one connection that writes.
///
/// Confined with the connection.
final class SortKeys {
    private let connection: SQLiteConnection
    private let schema: SQLSchema
    private let functions = SQLFunctions()
    private var isRegistered = false
    /// The orders that the file has lists of, by table.
    private var lists: [String: [(order: SortOrder, list: Int64)]] = [:]

    /// Reads which lists the file has.
    init(_ schema: SQLSchema, on connection: SQLiteConnection) throws(SQLiteError) {
        self.schema = schema
        self.connection = connection
        guard try Self.exist(on: connection) else { return }
        for (order, list, _) in try Self.lists(on: connection) {
            lists[order.table, default: []].append((order, list))
        }
    }

    /// All lists.
    var all: [(order: SortOrder, list: Int64)] { lists.values.flatMap(\.self) }

    /// Whether the file has a list of an entity's table.
    func keeps(_ entity: Int) -> Bool {
        !lists.isEmpty && lists[schema.entities[entity]?.table ?? ""] != nil
    }

    /// Takes away what the model no longer asks for, and keys of another version of ICU, which do not compare with ours; inside a
    /// transaction.
    ///
    /// - Complexity: A look at the schema where there are none; else O(keys that go).
    static func prepare(_ schema: SQLSchema, on connection: SQLiteConnection) throws(SQLiteError) {
        guard try exist(on: connection) else { return }
        var stale: Set<String> = []
        let columns = schema.sortedColumns
        for (table, state) in try states(on: connection)
        where columns[table].map({ SortKeyTables.state($0) }) != state { stale.insert(table) }
        for (order, _, collation) in try lists(on: connection) where collation != Collation.version {
            stale.insert(order.table)
        }
        for statement in stale.sorted().flatMap({ SortKeyTables.removal($0) }) {
            try connection.execute(statement)
        }
    }

    /// The list of an order, made with nothing in it where the file has none; `nil` where it is not worth one, or there is no ICU.
    ///
    /// All rows of the table then wait to be brought in, `drain` by `drain`.
    func list(_ order: SortOrder) throws(SQLiteError) -> Int64? {
        if let known = lists[order.table]?.first(where: { $0.order == order }) { return known.list }
        guard all.count < Limits.sortLists, let version = Collation.version,
            let columns = schema.sortedColumns[order.table],
            try isLong(order.table)
        else { return nil }
        for statement in SortKeyTables.creation { try connection.execute(statement) }
        if lists[order.table] == nil {
            for statement in SortKeyTables.creation(order.table, columns) {
                try connection.execute(statement)
            }
            let note = try connection.prepare(
                "INSERT OR REPLACE INTO COFFER_STATE(name, value) VALUES(?1, ?2)")
            try note.bind(SortKeyTables.statePrefix + order.table, at: 1)
            try note.bind(SortKeyTables.state(columns), at: 2)
            try note.run()
        }
        let insert = try connection.prepare(
            "INSERT INTO \(SortKeyTables.lists)(relation, property, comparison, locale, collation) "
                + "VALUES(?1, ?2, ?3, ?4, ?5) RETURNING list")
        try insert.bind(order.table, at: 1)
        try insert.bind(order.column, at: 2)
        try insert.bind(Int64(order.comparison.rawValue), at: 3)
        try insert.bind(order.locale, at: 4)
        try insert.bind(version, at: 5)
        guard try insert.step() else { return nil }
        let list = insert.int64(0)
        insert.reset()
        try connection.execute(SortKeyTables.requeueing(order.table))
        lists[order.table, default: []].append((order, list))
        return list
    }

    /// Forgets a list that was made in a transaction which is taken back.
    func forget(_ order: SortOrder) {
        lists[order.table]?.removeAll { $0.order == order }
        if lists[order.table]?.isEmpty ?? false { lists[order.table] = nil }
    }

    /// Brings so many of the rows that wait into all lists of their table; says whether more wait.
    ///
    /// - Complexity: A look at one page where nothing waits.
    @discardableResult
    func drain(_ table: String, upTo count: Int) throws(SQLiteError) -> Bool {
        guard let lists = lists[table] else { return false }
        let ending = try connection.cached(SortKeyTables.end(ofFirst: count, of: table))
        defer { ending.reset() }
        guard try ending.step(), ending.type(0) != .null else { return false }
        let last = ending.int64(0)
        ending.reset()
        if !isRegistered {
            try functions.register(on: connection)
            isRegistered = true
        }
        for (order, list) in lists {
            let filling = SortKeyTables.filling(order)
            for (index, sql) in filling.enumerated() {
                let statement = try connection.cached(sql)
                try statement.bind(list, at: 1)
                try statement.bind(last, at: 2)
                if index == filling.count - 1 { try statement.bind(order.locale, at: 3) }
                try statement.run()
            }
        }
        let emptying = try connection.cached(SortKeyTables.emptying(table))
        try emptying.bind(last, at: 1)
        try emptying.run()
        let waiting = try connection.cached(SortKeyTables.isSettled(table))
        defer { waiting.reset() }
        return try waiting.step() && waiting.int64(0) == 0
    }

    /// Brings in what a save wrote, in its own savepoint; where that is much, the rest waits.
    func drain() throws(SQLiteError) {
        for table in lists.keys { try drain(table, upTo: Limits.sortKeysOfSave) }
    }

    private func isLong(_ table: String) throws(SQLiteError) -> Bool {
        let statement = try connection.prepare(
            "SELECT count(*) FROM (SELECT 1 FROM \(table) LIMIT \(Limits.sortedRows))")
        defer { statement.reset() }
        return try statement.step() && statement.int64(0) == Int64(Limits.sortedRows)
    }
}

extension SortKeys {
    private static func exist(on connection: SQLiteConnection) throws(SQLiteError) -> Bool {
        try connection.prepare("SELECT 1 FROM sqlite_master WHERE name = '\(SortKeyTables.lists)'").step()
    }

    private static func lists(
        on connection: SQLiteConnection
    ) throws(SQLiteError) -> [(order: SortOrder, list: Int64, collation: String)] {
        let statement = try connection.prepare(
            "SELECT relation, property, comparison, locale, list, collation FROM \(SortKeyTables.lists)")
        var found: [(SortOrder, Int64, String)] = []
        while try statement.step() {
            let order = SortOrder(
                table: statement.text(0), column: statement.text(1), comparison: statement.int64(2),
                locale: statement.text(3))
            if let order { found.append((order, statement.int64(4), statement.text(5))) }
        }
        return found
    }

    /// What the file says of tables whose changes are noted.
    private static func states(on connection: SQLiteConnection) throws(SQLiteError) -> [String: String] {
        let statement = try connection.prepare(
            "SELECT name, value FROM COFFER_STATE WHERE name GLOB '\(SortKeyTables.statePrefix)*'")
        var states: [String: String] = [:]
        while try statement.step() {
            states[String(statement.text(0).dropFirst(SortKeyTables.statePrefix.count))] = statement.text(1)
        }
        return states
    }
}
