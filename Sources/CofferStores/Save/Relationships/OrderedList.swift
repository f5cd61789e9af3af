internal import CofferSQLite

/// The rows that keep the order of a relationship: those of the members, or of a join table.
///
/// The order is kept by numbers, as Core Data stores it: in steps of 1,024 at first, then halfway between
/// neighbours.
struct OrderedList {
    private let table: String
    private let owner: String
    private let member: String
    private let order: String

    /// `nil` for a property that has no order.
    init?(_ property: EntityPlan.Property) {
        switch property.stored {
        case .toMany(let table, let foreignKey, _, let order?, _):
            (self.table, owner, member, self.order) = (table, foreignKey, "Z_PK", order)
        case .manyToMany(let table, let own, let other, let order?, _):
            (self.table, owner, member, self.order) = (table, own, other, order)
        case .attribute, .toOne, .toMany, .manyToMany, .unsupported: return nil
        }
    }

    /// Moves a member; returns the members that got new places, `nil` if it or its neighbour does not exist.
    func move(
        _ key: Int64, after neighbour: Int64?, of owner: Int64, on connection: SQLiteConnection
    ) throws(SQLiteError) -> [Int64]? {
        guard key != neighbour, try place(of: key, owner, connection) != nil else { return nil }
        var low: Int64 = 0
        if let neighbour {
            guard let found = try place(of: neighbour, owner, connection) else { return nil }
            low = found
        }
        let (high, isShared) = try next(after: low, of: owner, without: key, neighbour, connection)
        guard !isShared, let number = OrderPositions.between(low, high) else {
            return try spread(key, after: neighbour, of: owner, connection)
        }
        try write(number, of: key, owner: owner, on: connection)
        return [key]
    }

    /// A member's number; 0 if it has none yet, `nil` if it is not a member.
    private func place(
        of key: Int64, _ owner: Int64, _ connection: SQLiteConnection
    ) throws(SQLiteError) -> Int64? {
        let query = try connection.cached(
            "SELECT \(order) FROM \(table) WHERE \(self.owner) = ?1 AND \(member) = ?2")
        try query.bind(owner, at: 1)
        try query.bind(key, at: 2)
        defer { query.reset() }
        return try query.step() ? query.int64(0) : nil
    }

    /// The smallest number above `place`, and whether members other than `key` and `neighbour` have a number
    /// that is not above `place` although it should be.
    private func next(
        after place: Int64, of owner: Int64, without key: Int64, _ neighbour: Int64?,
        _ connection: SQLiteConnection
    ) throws(SQLiteError) -> (Int64?, isShared: Bool) {
        let query = try connection.cached(
            """
            SELECT min(CASE WHEN \(order) > ?3 THEN \(order) END), \
            max(\(member) <> ?4 AND (\(order) IS NULL OR \(order) = ?3)) \
            FROM \(table) WHERE \(self.owner) = ?1 AND \(member) <> ?2
            """)
        try query.bind(owner, at: 1)
        try query.bind(key, at: 2)
        try query.bind(place, at: 3)
        try query.bind(neighbour ?? 0, at: 4)
        defer { query.reset() }
        guard try query.step() else { return (nil, false) }
        return (query.isNull(0) ? nil : query.int64(0), query.int64(1) != 0)
    }

    private func write(_ number: Int64, of key: Int64, owner: Int64, on connection: SQLiteConnection)
        throws(SQLiteError)
    {
        let statement = try connection.cached(
            "UPDATE \(table) SET \(order) = ?1 WHERE \(self.owner) = ?2 AND \(member) = ?3")
        try statement.bind(number, at: 1)
        try statement.bind(owner, at: 2)
        try statement.bind(key, at: 3)
        try statement.run()
    }

    /// Moves a member, and gives it and as many neighbours as necessary new numbers; returns all of them.
    private func spread(
        _ key: Int64, after neighbour: Int64?, of owner: Int64, _ connection: SQLiteConnection
    ) throws(SQLiteError) -> [Int64] {
        let query = try connection.cached(
            "SELECT \(member), \(order) FROM \(table) WHERE \(self.owner) = ?1 ORDER BY \(order), \(member)")
        try query.bind(owner, at: 1)
        var rows: [(key: Int64, number: Int64)] = []
        while try query.step() { if query.int64(0) != key { rows.append((query.int64(0), query.int64(1))) } }
        let place =
            neighbour.flatMap { neighbour in rows.firstIndex { $0.key == neighbour } }.map { $0 + 1 } ?? 0
        rows.insert((key, .min), at: place)
        var moved: [Int64] = []
        for (place, number) in OrderPositions.spread(rows.map(\.number), around: place)
        where rows[place].number != number {
            try write(number, of: rows[place].key, owner: owner, on: connection)
            moved.append(rows[place].key)
        }
        return moved
    }
}
