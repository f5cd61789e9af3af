internal import CofferModel
internal import CofferSQLite
internal import CofferWire

/// Follows to-one relationships that may not lead round in a circle, from the objects whose links a save
/// wrote.
///
/// In a shared store the rules of merging would take back a link that closes a circle, moments after its save
/// was acknowledged.
struct CircleCheck: SavePass {
    let state: SaveState

    /// Adds links that close a circle, or a chain of too many objects, to the outcome.
    func check() throws(StoreError) {
        for group in changes.groups.map(\.change) where group.kind != .delete {
            let plan = try writer.plan(group.entity)
            for property in plan.acyclic
            where group.kind == .insert || group.properties.contains(property.index) {
                for key in group.primaryKeys { try check(property, of: plan.object(key), plan) }
            }
        }
    }

    private func check(
        _ property: EntityPlan.Property, of object: LeafKey, _ plan: EntityPlan
    ) throws(StoreError) {
        guard case .toOne(let column, _, _) = property.stored else { return }
        let chain = try translating { () throws(SQLiteError) in
            try keys(from: object.key, in: plan, along: property, column)
        }
        let name = "'\(plan.name).\(property.name)'"
        if chain.dropFirst().last == object.key {
            let path = chain.prefix(Limits.toldItems).map { "p\($0)" }.joined(separator: ", ")
            outcome.fail(
                inserted.reference(to: object), property: property.name, reason: .circle,
                "\(name) may not lead round in a circle: \(path)")
        } else if chain.count > Limits.chainLength, Set(chain).count == chain.count {
            // A chain that runs into a circle of others was there before, and did not become worse.
            outcome.fail(
                inserted.reference(to: object), property: property.name, reason: .tooDeep,
                "\(name) may not lead through more than \(Limits.chainLength) objects")
        }
    }

    /// The objects that a relationship leads through, the first one included, until it leads to none, back to
    /// the first one, or too far.
    private func keys(
        from start: Int64, in plan: EntityPlan, along property: EntityPlan.Property, _ column: String
    ) throws(SQLiteError) -> [Int64] {
        let statement = try plan.statement(.chain(property.index), on: writer.connection) {
            """
            WITH RECURSIVE chain(key, depth) AS (SELECT ?1, 0 UNION ALL \
            SELECT object.\(column), depth + 1 FROM chain JOIN \(plan.entity.table) AS object ON object.Z_PK = key \
            WHERE object.\(column) IS NOT NULL AND depth < \(Limits.chainLength) AND (depth = 0 OR key <> ?1)) \
            SELECT key FROM chain
            """
        }
        try statement.bind(start, at: 1)
        defer { statement.reset() }
        var keys: [Int64] = []
        while try statement.step() { keys.append(statement.int64(0)) }
        return keys
    }
}
