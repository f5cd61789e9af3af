internal import CofferModel
internal import CofferSQLite
internal import CofferWire

extension SaveRun {
    /// Gives members of an ordered relationship their places.
    ///
    /// Moves merge: no version moves, so that they conflict with nobody; of two saves that move the same member the later counts. One
    /// whose member has left meanwhile is left out, and one whose neighbour has left changes nothing.
    /// - Complexity: Writes one row for a move; where there is no number between two neighbours, the rows around get new ones.
    mutating func apply(_ change: OrderChange) throws(StoreError) {
        let plan = try writer.plan(change.entity)
        let property = try plan.property(change.property)
        guard let list = OrderedList(property) else {
            throw .wrongType(entity: plan.name, property: property.name, detail: "it has no order")
        }
        guard change.owners.count == change.members.count, change.owners.count == change.after.count else {
            throw .malformedRequest(
                "a change of the order of '\(plan.name).\(property.name)' lacks members or neighbours")
        }
        for index in change.owners.indices {
            guard
                let owner = try member(
                    change.owners[index], of: plan.root, plan.index, plan, property, own: nil)
            else { continue }
            let member = try key(change.members[index])
            let after = change.after[index] == 0 ? nil : try key(change.after[index])
            let didMove = try translating { () throws(SQLiteError) in
                try list.move(member, after: after, of: owner.key, on: connection)
            }
            if didMove { changes.touch(owner, property.index) }
        }
    }

    private func key(_ reference: Int64) throws(StoreError) -> Int64 {
        reference < 0 ? try inserted.object(namedBy: reference).key : reference
    }
}

/// The rows that keep the order of a relationship: those of the members, or of a join table.
///
/// Numbers tell the order, as Core Data keeps it: steps of 1,024 at first, halves between neighbours.
private struct OrderedList {
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

    /// Moves a member; says whether it and its neighbour are there.
    func move(
        _ key: Int64, after neighbour: Int64?, of owner: Int64, on connection: SQLiteConnection
    ) throws(SQLiteError) -> Bool {
        guard key != neighbour, try place(of: key, owner, connection) != nil else { return false }
        var low: Int64 = 0
        if let neighbour {
            guard let found = try place(of: neighbour, owner, connection) else { return false }
            low = found
        }
        let (high, isShared) = try next(after: low, of: owner, without: key, neighbour, connection)
        guard !isShared, let number = OrderPositions.between(low, high) else {
            try spread(key, after: neighbour, of: owner, connection)
            return true
        }
        try write(number, key, owner, connection)
        return true
    }

    /// A member's number; 0 where it has none yet, `nil` where it is no member.
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

    /// The least number above `place`, and whether others than `key` and `neighbour` have no greater one than `place` though they should.
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

    private func write(
        _ number: Int64, _ key: Int64, _ owner: Int64, _ connection: SQLiteConnection
    ) throws(SQLiteError) {
        let statement = try connection.cached(
            "UPDATE \(table) SET \(order) = ?1 WHERE \(self.owner) = ?2 AND \(member) = ?3")
        try statement.bind(number, at: 1)
        try statement.bind(owner, at: 2)
        try statement.bind(key, at: 3)
        try statement.run()
    }

    /// Moves a member, and gives it and as many neighbours as need be new numbers.
    private func spread(
        _ key: Int64, after neighbour: Int64?, of owner: Int64, _ connection: SQLiteConnection
    ) throws(SQLiteError) {
        let query = try connection.cached(
            "SELECT \(member), \(order) FROM \(table) WHERE \(self.owner) = ?1 ORDER BY \(order), \(member)")
        try query.bind(owner, at: 1)
        var rows: [(key: Int64, number: Int64)] = []
        while try query.step() { if query.int64(0) != key { rows.append((query.int64(0), query.int64(1))) } }
        let place =
            neighbour.flatMap { neighbour in rows.firstIndex { $0.key == neighbour } }.map { $0 + 1 } ?? 0
        rows.insert((key, .min), at: place)
        for (place, number) in OrderPositions.spread(rows.map(\.number), around: place)
        where rows[place].number != number {
            try write(number, rows[place].key, owner, connection)
        }
    }
}

/// Numbers that keep the order of a relationship; only their order means something.
enum OrderPositions {
    private static let beforeFirst: Int64 = 1_024
    private static let step: Int64 = 1_024

    /// The place behind `last`, which a file gives; at the end of all numbers objects share the last place.
    static func next(after last: Int64?) -> Int64 {
        let (place, isPast) = (last ?? beforeFirst).addingReportingOverflow(step)
        return isPast ? .max : place
    }

    /// A number between two, the second of which may be missing; `nil` where there is none.
    static func between(_ low: Int64, _ high: Int64?) -> Int64? {
        guard let high else { return low > .max - step ? nil : max(low, beforeFirst) + step }
        let (gap, isPast) = high.subtractingReportingOverflow(low)
        return isPast || gap < 2 ? nil : low + gap / 2
    }

    /// New numbers for the row at `place`, whose own means nothing, and for as few around it as have room for all.
    ///
    /// - Returns: Places and numbers; those of all rows where theirs are in no order.
    static func spread(_ numbers: [Int64], around place: Int) -> [(place: Int, number: Int64)] {
        var (low, high) = (place, place + 1)
        var others = numbers
        others.remove(at: place)
        let isSound =
            zip(others, others.dropFirst()).allSatisfy { $0 < $1 } && others.first.map { $0 > 0 } ?? true
        while isSound, low > 0 || high < numbers.count {
            let count = Int64(high - low)
            let bottom = low > 0 ? numbers[low - 1] : 0
            let top =
                high < numbers.count
                ? numbers[high] : bottom.addingReportingOverflow((count + 1) * step).partialValue
            if top > bottom, (top - bottom) / (count + 1) >= 8 {
                return assign(low..<high, from: bottom, step: (top - bottom) / (count + 1))
            }
            (low, high) = (max(0, low - Int(count)), min(numbers.count, high + Int(count)))
        }
        return assign(numbers.indices, from: beforeFirst, step: step)
    }

    private static func assign(
        _ places: Range<Int>, from bottom: Int64, step: Int64
    ) -> [(place: Int, number: Int64)] {
        places.enumerated().map { ($0.element, bottom + Int64($0.offset + 1) * step) }
    }
}
