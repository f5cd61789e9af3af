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
    /// What the file has; set back when a transaction is rolled back.
    var lists: SortKeyLists

    /// Reads which lists the file has.
    init(_ schema: SQLSchema, on connection: SQLiteConnection) throws(SQLiteError) {
        self.schema = schema
        self.connection = connection
        lists = try Self.exist(on: connection) ? SortKeyLists(on: connection) : SortKeyLists()
    }

    /// Whether the file has a list of an entity's table.
    func keeps(_ entity: Int) -> Bool {
        !lists.byTable.isEmpty && lists.byTable[schema.entities[entity]?.table ?? ""] != nil
    }

    /// Removes what the model no longer asks for, what was not used for long, and keys of another version of
    /// ICU, which do not compare with ours; inside a transaction.
    ///
    /// - Complexity: A look at the schema if there are none; else O(keys that go).
    static func prepare(_ schema: SQLSchema, on connection: SQLiteConnection, today: Int64)
        throws(SQLiteError)
    {
        guard try exist(on: connection) else { return }
        if try !noteUse(on: connection) { try connection.execute(SortKeyTables.addition) }
        var stale: Set<String> = []
        let columns = schema.sortedColumns
        for (table, state) in try states(on: connection)
        where columns[table].map({ SortKeyTables.state($0) }) != state { stale.insert(table) }
        let collations = try connection.prepare("SELECT relation, collation FROM \(SortKeyTables.lists)")
        while try collations.step() {
            if collations.text(1) != Collation.version { stale.insert(collations.text(0)) }
        }
        collations.reset()
        for table in stale.sorted() { try remove(table, on: connection) }
        // A list whose day is not known, or is still to come, counts as used today.
        try connection.execute(
            "UPDATE \(SortKeyTables.lists) SET used = \(today) WHERE used IS NULL OR used > \(today)")
        let unused = "SELECT list FROM \(SortKeyTables.lists) WHERE used < \(today - Limits.unusedDays)"
        try connection.execute("DELETE FROM \(SortKeyTables.keys) WHERE list IN (\(unused))")
        try connection.execute("DELETE FROM \(SortKeyTables.lists) WHERE list IN (\(unused))")
        let left = Set(try SortKeyLists(on: connection).byTable.keys)
        for table in try states(on: connection).keys.sorted() where !left.contains(table) {
            try remove(table, on: connection)
        }
    }

    private static func remove(_ table: String, on connection: SQLiteConnection) throws(SQLiteError) {
        guard table.isPlainName else { return try forget(table, on: connection) }
        for statement in SortKeyTables.removal(table) { try connection.execute(statement) }
    }

    /// Forgets what a file says of a table that can have no keys of ours.
    private static func forget(_ table: String, on connection: SQLiteConnection) throws(SQLiteError) {
        for (sql, name) in [
            ("DELETE FROM \(SortKeyTables.lists) WHERE relation = ?1", table),
            ("DELETE FROM COFFER_STATE WHERE name = ?1", SortKeyTables.statePrefix + table),
        ] {
            let statement = try connection.prepare(sql)
            try statement.bind(name, at: 1)
            try statement.run()
        }
    }

    /// The list of an order, made with nothing in it if the file has none; `nil` if the order is not worth
    /// one, or there is no ICU.
    ///
    /// All rows of the table then wait to be brought in, `drain` by `drain`.
    func list(_ order: SortOrder, today: Int64) throws(SQLiteError) -> Int64? {
        if let known = lists[order] { return known.number }
        guard lists.haveRoom, let version = Collation.version,
            let columns = schema.sortedColumns[order.table],
            try isLong(order.table)
        else { return nil }
        for statement in SortKeyTables.creation { try connection.execute(statement) }
        if lists.byTable[order.table] == nil {
            for statement in SortKeyTables.creation(order.table, columns) {
                try connection.execute(statement)
            }
            let note = try connection.prepare(
                "INSERT OR REPLACE INTO COFFER_STATE(name, value) VALUES(?1, ?2)")
            try note.bind(SortKeyTables.statePrefix + order.table, at: 1)
            try note.bind(SortKeyTables.state(columns), at: 2)
            try note.run()
        }
        let list = SortKeyLists.List(order: order, number: lists.freeNumber, used: today)
        let insert = try connection.prepare(
            "INSERT INTO \(SortKeyTables.lists)(list, relation, property, comparison, locale, collation, used) "
                + "VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7)")
        try insert.bind(list.number, at: 1)
        try insert.bind(order.table, at: 2)
        try insert.bind(order.column, at: 3)
        try insert.bind(Int64(order.comparison.rawValue), at: 4)
        try insert.bind(order.locale, at: 5)
        try insert.bind(version, at: 6)
        try insert.bind(today, at: 7)
        try insert.run()
        try connection.execute(SortKeyTables.requeueing(order.table))
        lists.add(list)
        return list.number
    }

    /// Brings so many of the rows that wait into all lists of their table; says whether more wait.
    ///
    /// - Complexity: A look at one page if nothing waits.
    @discardableResult
    func drain(_ table: String, upTo count: Int) throws(SQLiteError) -> Bool {
        guard let lists = lists.byTable[table] else { return false }
        let ending = try connection.cached(SortKeyTables.end(ofFirst: count, of: table))
        defer { ending.reset() }
        guard try ending.step(), ending.type(0) != .null else { return false }
        let last = ending.int64(0)
        ending.reset()
        if !isRegistered {
            try functions.register(on: connection)
            isRegistered = true
        }
        for list in lists {
            let filling = SortKeyTables.filling(list.order)
            for (index, sql) in filling.enumerated() {
                let statement = try connection.cached(sql)
                try statement.bind(list.number, at: 1)
                try statement.bind(last, at: 2)
                if index == filling.count - 1 { try statement.bind(list.order.locale, at: 3) }
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

    /// Brings in what a save wrote, in its own savepoint; if that is much, the rest waits.
    func drain() throws(SQLiteError) {
        for table in lists.byTable.keys { try drain(table, upTo: Limits.sortKeysOfSave) }
    }
}

extension SortKeys {
    /// Makes room for an order whose table is long enough for a list, if there are as many lists as may be;
    /// says whether it did a piece of that.
    ///
    /// The list that was unused for longest is removed, if that is some days, and then its keys piece by
    /// piece. A reader that reads along it at the moment goes on in the earlier state; later readers find in
    /// their state that the list is gone.
    func makesRoom(for order: SortOrder, today: Int64) throws(SQLiteError) -> Bool {
        if lists[order] != nil || lists.haveRoom { return false }
        if let number = lists.leaving.last {
            let emptying = try connection.cached(SortKeyTables.leaving)
            try emptying.bind(number, at: 1)
            try emptying.bind(Int64(Limits.sortKeysOfPiece), at: 2)
            try emptying.run()
            if connection.changes < Limits.sortKeysOfPiece { lists.leaving.removeLast() }
            return true
        }
        guard let idle = lists.all.min(by: { $0.used < $1.used }), idle.used < today - Limits.idleDays,
            try isLong(order.table)
        else { return false }
        let removal = try connection.prepare("DELETE FROM \(SortKeyTables.lists) WHERE list = ?1")
        try removal.bind(idle.number, at: 1)
        try removal.run()
        lists.remove(idle.order)
        lists.leaving.append(idle.number)
        if lists.byTable[idle.order.table] == nil { try Self.remove(idle.order.table, on: connection) }
        return true
    }

    /// Notes in the file that lists were used on a day.
    func note(_ orders: Set<SortOrder>, usedOn today: Int64) throws(SQLiteError) {
        for order in orders {
            guard let list = lists[order] else { continue }
            let note = try connection.cached("UPDATE \(SortKeyTables.lists) SET used = ?2 WHERE list = ?1")
            try note.bind(list.number, at: 1)
            try note.bind(today, at: 2)
            try note.run()
            lists.note(order, usedOn: today)
        }
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
        try connection.hasTable(SortKeyTables.lists)
    }

    /// Whether the file notes when lists are used.
    private static func noteUse(on connection: SQLiteConnection) throws(SQLiteError) -> Bool {
        try connection.prepare(
            "SELECT 1 FROM pragma_table_info('\(SortKeyTables.lists)') WHERE name = 'used'"
        ).step()
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
