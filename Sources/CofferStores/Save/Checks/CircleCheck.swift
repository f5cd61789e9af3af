internal import CofferModel
internal import CofferSQLite
internal import CofferWire

/// Follows to-one relationships that may not lead round in a circle, from the objects whose links a save
/// wrote.
///
/// In a shared store the rules of merging would take back a link that closes a circle, moments after its
/// save was acknowledged.
struct CircleCheck: SavePass {
    let state: SaveState

    /// Adds links that close a circle, or make a chain of too many objects, to the outcome.
    func check() throws(StoreError) {
        // By the place of a relationship's column: how many objects it leads through from each on, itself
        // too.
        var lengths: [String: [Int64: Int]] = [:]
        for group in changes.groups.map(\.change) where group.kind != .delete {
            let plan = try writer.plan(group.entity)
            for property in plan.acyclic
            where group.kind == .insert || group.properties.contains(property.index) {
                guard case .toOne(let column, _, _) = property.stored else { continue }
                let place = "\(plan.entity.table).\(column)"
                for key in group.primaryKeys {
                    try check(
                        property, of: plan.object(key), in: plan, knowing: &lengths[place, default: [:]])
                }
            }
        }
    }

    private func check(
        _ property: EntityPlan.Property, of object: LeafKey, in plan: EntityPlan,
        knowing lengths: inout [Int64: Int]
    ) throws(StoreError) {
        let next = try translating { () throws(SQLiteError) in
            try plan.statement(.next(property.index), on: writer.connection) {
                Self.sql(property, of: plan)
            }
        }
        let name = "'\(plan.name).\(property.name)'"
        switch try translating({ () throws(SQLiteError) in
            try Self.chain(from: object.key, by: next, knowing: &lengths)
        }) {
        case .circle(let path):
            let text = path.prefix(Limits.toldItems).map { "p\($0)" }.joined(separator: ", ")
            outcome.fail(
                inserted.reference(to: object), property: property.name, reason: .circle,
                "\(name) may not lead round in a circle: \(text)")
        case .ends(let length) where length > Limits.chainLength:
            if try isNoWorse(length, property, of: object, in: plan) { return }
            outcome.fail(
                inserted.reference(to: object), property: property.name, reason: .tooDeep,
                "\(name) may not lead through more than \(Limits.chainLength) objects")
        // What runs into a circle of others was there before, and did not become worse.
        case .ends, .runsIntoCircle: return
        }
    }

    /// Where a relationship leads to.
    private enum Chain {
        /// To no further object, after so many, the first one included.
        case ends(length: Int)
        /// Back to the first one.
        case circle([Int64])
        /// Into a circle that the first one is not in.
        case runsIntoCircle
    }

    /// Follows a relationship from an object; `next` gives what a key leads to.
    private static func chain(
        from start: Int64, by next: SQLiteStatement, knowing lengths: inout [Int64: Int]
    ) throws(SQLiteError) -> Chain {
        if let length = lengths[start] { return .ends(length: length) }
        var path = [start]
        var seen: Set<Int64> = [start]
        var rest = 0
        while let key = try target(of: path[path.count - 1], by: next) {
            if key == start { return .circle(path + [start]) }
            if let length = lengths[key] {
                rest = length
                break
            }
            guard seen.insert(key).inserted else { return .runsIntoCircle }
            path.append(key)
        }
        for (place, key) in path.enumerated() { lengths[key] = path.count - place + rest }
        return .ends(length: path.count + rest)
    }

    private static func target(of key: Int64, by next: SQLiteStatement) throws(SQLiteError) -> Int64? {
        try next.bind(key, at: 1)
        defer { next.reset() }
        return try next.step() && !next.isNull(0) ? next.int64(0) : nil
    }

    private static func sql(_ property: EntityPlan.Property, of plan: EntityPlan) -> String {
        guard case .toOne(let column, _, _) = property.stored else { return "SELECT NULL WHERE ?1 IS NULL" }
        return "SELECT \(column) FROM \(plan.entity.table) WHERE Z_PK = ?1"
    }

    /// Whether the object was as deep before the save, as another connection than the writer's sees it.
    private func isNoWorse(
        _ length: Int, _ property: EntityPlan.Property, of object: LeafKey, in plan: EntityPlan
    ) throws(StoreError) -> Bool {
        if objects.isNewOrGone(object) { return false }
        let reader = try writer.file.makeReader()
        return try translating { () throws(SQLiteError) in
            var lengths: [Int64: Int] = [:]
            let former = try Self.chain(
                from: object.key, by: reader.prepare(Self.sql(property, of: plan)), knowing: &lengths)
            if case .ends(let formerLength) = former { return formerLength >= length }
            return true
        }
    }
}
