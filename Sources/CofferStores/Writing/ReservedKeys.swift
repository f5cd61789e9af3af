internal import CofferSQLite

/// The keys of one inheritance tree that were reserved for objects that are not saved yet.
///
/// They are stored as ranges, so that many of them take a row or two. Confined with the connection; used
/// inside a transaction.
struct ReservedKeys {
    /// The number of the tree's root in the store, less one.
    private let root: Int64
    private let connection: SQLiteConnection

    /// The reserved keys in the tree of the entity with index `root`, in a store whose entities have
    /// `numbers`.
    init(of root: Int, _ numbers: EntityNumbers, on connection: SQLiteConnection) {
        self.root = Int64(numbers[root]) - 1
        self.connection = connection
    }

    /// Adds keys that come after all that were reserved before.
    func add(_ keys: ClosedRange<Int64>) throws(SQLiteError) {
        let longer = try connection.cached(
            "UPDATE COFFER_RESERVED SET last = ?3 WHERE root = ?1 AND last = ?2 - 1 "
                + "AND first = (SELECT max(first) FROM COFFER_RESERVED WHERE root = ?1)")
        try run(longer, root: root, keys: keys)
        if connection.changes == 0 { try insert(keys) }
    }

    /// The range that contains `keys`; `nil` if some of them were not reserved, or are used.
    func range(around keys: ClosedRange<Int64>) throws(SQLiteError) -> ClosedRange<Int64>? {
        let query = try connection.cached(
            "SELECT first, last FROM COFFER_RESERVED WHERE root = ?1 AND first <= ?2 ORDER BY first DESC LIMIT 1"
        )
        try query.bind(root, at: 1)
        try query.bind(keys.lowerBound, at: 2)
        defer { query.reset() }
        guard try query.step(), query.int64(1) >= keys.upperBound else { return nil }
        return query.int64(0)...query.int64(1)
    }

    /// Removes keys from their range, since they are used from now on.
    func use(_ keys: ClosedRange<Int64>, of range: ClosedRange<Int64>) throws(SQLiteError) {
        let removal = try connection.cached("DELETE FROM COFFER_RESERVED WHERE root = ?1 AND first = ?2")
        try removal.bind(root, at: 1)
        try removal.bind(range.lowerBound, at: 2)
        try removal.run()
        if range.lowerBound < keys.lowerBound { try insert(range.lowerBound...(keys.lowerBound - 1)) }
        if keys.upperBound < range.upperBound { try insert((keys.upperBound + 1)...range.upperBound) }
    }

    /// Removes the reserved keys of all trees.
    static func removeAll(on connection: SQLiteConnection) throws(SQLiteError) {
        try connection.execute("DELETE FROM COFFER_RESERVED")
    }

    private func insert(_ keys: ClosedRange<Int64>) throws(SQLiteError) {
        try run(
            connection.cached("INSERT INTO COFFER_RESERVED (root, first, last) VALUES (?1, ?2, ?3)"),
            root: root, keys: keys)
    }

    private func run(_ statement: SQLiteStatement, root: Int64, keys: ClosedRange<Int64>) throws(SQLiteError)
    {
        try statement.bind(root, at: 1)
        try statement.bind(keys.lowerBound, at: 2)
        try statement.bind(keys.upperBound, at: 3)
        try statement.run()
    }
}
