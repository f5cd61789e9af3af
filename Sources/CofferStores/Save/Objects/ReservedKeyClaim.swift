internal import CofferModel
internal import CofferSQLite
internal import CofferWire

/// Claims the keys that new objects bring along: each must have been given out, must be unused, and is wanted
/// once.
///
/// Any client that knows a key may use it: like every other right, this one applies to the store, not to
/// single rows. No client can claim the key of an object that exists or existed.
struct ReservedKeyClaim {
    private let writer: StoreWriter

    init(_ writer: StoreWriter) { self.writer = writer }

    /// The keys of one group.
    private struct Claim {
        let root: Int
        let keys: ClosedRange<Int64>
    }

    /// Checks the keys of all groups that bring some, and records that they are used.
    ///
    /// - Throws: `unreservedKeys`, and `malformedRequest` if two objects have the same key.
    func claimKeys(of groups: [InsertGroup]) throws(StoreError) {
        guard groups.contains(where: { $0.firstKey != 0 }) else { return }
        var claims: [Claim] = []
        for group in groups where group.firstKey != 0 {
            let plan = try writer.plan(group.entity)
            let count = group.temporaryIDs.count
            let (end, isPast) = group.firstKey.addingReportingOverflow(Int64(count))
            guard group.firstKey > 0, !isPast, end - 1 <= (try writer.lastKey(ofTree: plan.root)),
                !(try hasRow(group.firstKey..<end, plan)),
                try areReserved(group.firstKey..<end, plan)
            else { throw .unreservedKeys(entity: plan.name, firstKey: group.firstKey, count: count) }
            if count > 0 { claims.append(Claim(root: plan.root, keys: group.firstKey...(end - 1))) }
        }
        claims.sort { ($0.root, $0.keys.lowerBound) < ($1.root, $1.keys.lowerBound) }
        for (one, next) in zip(claims, claims.dropFirst())
        where one.root == next.root && one.keys.upperBound >= next.keys.lowerBound {
            throw .malformedRequest("two new objects have the key \(next.keys.lowerBound)")
        }
        for claim in claims { try use(claim) }
    }

    private func use(_ claim: Claim) throws(StoreError) {
        try translating { () throws(SQLiteError) in
            let reserved = ReservedKeys(
                of: claim.root, writer.file.schema.numbers, on: writer.connection)
            guard let range = try reserved.range(around: claim.keys) else { return }
            try reserved.use(claim.keys, of: range)
        }
    }

    private func areReserved(_ keys: Range<Int64>, _ plan: EntityPlan) throws(StoreError) -> Bool {
        if keys.isEmpty { return true }
        return try translating { () throws(SQLiteError) in
            let reserved = ReservedKeys(of: plan.root, plan.numbers, on: writer.connection)
            return try reserved.range(around: keys.lowerBound...(keys.upperBound - 1)) != nil
        }
    }

    private func hasRow(_ keys: Range<Int64>, _ plan: EntityPlan) throws(StoreError) -> Bool {
        try translating { () throws(SQLiteError) in
            let query = try plan.statement(.taken, on: writer.connection) {
                "SELECT 1 FROM \(plan.entity.table) WHERE Z_PK >= ?1 AND Z_PK < ?2 LIMIT 1"
            }
            try query.bind(keys.lowerBound, at: 1)
            try query.bind(keys.upperBound, at: 2)
            defer { query.reset() }
            return try query.step()
        }
    }
}
