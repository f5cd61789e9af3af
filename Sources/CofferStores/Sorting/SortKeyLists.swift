internal import CofferLinux
internal import CofferSQLite

/// The lists of sort keys that a file has, as its writer knows them.
struct SortKeyLists {
    /// One list of sort keys.
    struct List {
        let order: SortOrder
        let number: Int64
        /// The day on which it was last used, as the file says, counted from 2001-01-01.
        var used: Int64
    }

    /// By table.
    private(set) var byTable: [String: [List]] = [:]
    /// Numbers of lists that were given up, some of whose keys are still there.
    var leaving: [Int64] = []

    /// No lists.
    init() {}

    /// The lists that a file has.
    init(on connection: SQLiteConnection) throws(SQLiteError) {
        let statement = try connection.prepare(
            "SELECT relation, property, comparison, locale, list, used FROM \(SortKeyTables.lists)")
        while try statement.step() {
            let order = SortOrder(
                table: statement.text(0), column: statement.text(1), comparison: statement.int64(2),
                locale: statement.text(3))
            if let order { add(List(order: order, number: statement.int64(4), used: statement.int64(5))) }
        }
        leaving = try Self.leaving(besides: Set(all.map(\.number)), on: connection)
    }

    /// Numbers of lists that there are no more, and of which a crash left keys.
    private static func leaving(
        besides known: Set<Int64>, on connection: SQLiteConnection
    ) throws(SQLiteError) -> [Int64] {
        let next = try connection.prepare("SELECT min(list) FROM \(SortKeyTables.keys) WHERE list > ?1")
        var found: [Int64] = []
        var last = Int64.min
        // A file that is damaged may have any number of them; those of ours are few.
        for _ in 0..<4 * Limits.sortLists {
            try next.bind(last, at: 1)
            defer { next.reset() }
            guard try next.step(), next.type(0) != .null else { break }
            last = next.int64(0)
            if !known.contains(last) { found.append(last) }
        }
        return found
    }

    /// All lists.
    var all: [List] { byTable.values.flatMap(\.self) }

    /// Whether there is room for one more.
    var haveRoom: Bool { all.count + leaving.count < Limits.sortLists }

    /// A number that none has.
    var freeNumber: Int64 {
        let taken = Set(all.map(\.number) + leaving)
        var number: Int64 = 1
        while taken.contains(number) { number += 1 }
        return number
    }

    /// The list of an order.
    subscript(order: SortOrder) -> List? { byTable[order.table]?.first { $0.order == order } }

    mutating func add(_ list: List) { byTable[list.order.table, default: []].append(list) }

    /// Takes a list out.
    mutating func remove(_ order: SortOrder) {
        byTable[order.table]?.removeAll { $0.order == order }
        if byTable[order.table]?.isEmpty ?? false { byTable[order.table] = nil }
    }

    /// An order was used on a day.
    mutating func note(_ order: SortOrder, usedOn day: Int64) {
        guard let place = byTable[order.table]?.firstIndex(where: { $0.order == order }) else { return }
        byTable[order.table]?[place].used = day
    }
}
