internal import CofferModel
internal import CofferSQLite

/// A list of sort keys that a query may be read along.
struct PersistedSortOrder {
    /// The number of the list.
    let list: Int64
    /// Whether it may have keys of rows that no longer exist.
    ///
    /// If another program writes a row with REPLACE and that takes a row away for the sake of a uniqueness
    /// constraint, SQLite runs no trigger for the row that goes, unless that program asked for it. A row that
    /// is replaced under its own key is not concerned.
    let mayHoldGone: Bool
}

extension PersistedSortOrder {
    /// The list of an order in the state that a connection reads; `nil` if the file has given it up, or not
    /// all its keys are there.
    ///
    /// A list's number may belong to another order by now.
    init?(_ order: SortOrder, _ list: Int64, on connection: SQLiteConnection) throws(SQLiteError) {
        let kept = try connection.cached(SortKeyTables.isKept)
        try kept.bind(list, at: 1)
        try kept.bind(order.table, at: 2)
        try kept.bind(order.column, at: 3)
        try kept.bind(Int64(order.comparison.rawValue), at: 4)
        try kept.bind(order.locale, at: 5)
        defer { kept.reset() }
        guard try kept.step() else { return nil }
        mayHoldGone = kept.int64(0) == 1
        self.list = list
        // Its queue is there as long as the list.
        let settled = try connection.cached(SortKeyTables.isSettled(order.table))
        defer { settled.reset() }
        guard try settled.step(), settled.int64(0) == 1 else { return nil }
    }
}
