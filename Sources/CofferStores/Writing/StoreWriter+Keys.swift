internal import CofferModel
internal import CofferSQLite
package import CofferWire

// Z_PRIMARYKEY knows of each inheritance tree, in the row of its root, the last key that was given out.

extension StoreWriter {
    /// Gives out keys for objects that later saves insert, durably: for each reservation the first of as many as it wants.
    ///
    /// They are given out for good, whether or not anybody uses them.
    /// - Throws: `StoreError.tooLarge` where all together want more than `Limits.reservedKeys`; `.unknownEntity`, and
    ///   `.malformedRequest` for an abstract one; then none is given out.
    package func reserveKeys(_ reservations: [KeyReservation]) throws(StoreError) -> [Int64] {
        var total = 0
        for reservation in reservations {
            let plan = try plan(reservation.entity)
            guard !plan.description.isAbstract else {
                throw .malformedRequest("'\(plan.name)' is abstract and has no objects")
            }
            total += reservation.count  // Each comes as 32 bits, and their number is bounded too.
        }
        guard total <= Limits.reservedKeys else {
            throw .tooLarge("\(total) keys, \(Limits.reservedKeys) may be reserved at a time")
        }
        return try transaction { () throws(StoreError) in
            var firstKeys: [Int64] = []
            for reservation in reservations {
                firstKeys.append(try takeKeys(Int64(reservation.count), for: try plan(reservation.entity)))
            }
            return firstKeys
        }
    }

    /// The first of `count` new keys, inside a transaction.
    func takeKeys(_ count: Int64, for plan: EntityPlan) throws(StoreError) -> Int64 {
        let last = try translating { () throws(SQLiteError) -> Int64? in
            let statement = try connection.cached(
                "UPDATE Z_PRIMARYKEY SET Z_MAX = Z_MAX + ?1 WHERE Z_ENT = ?2 RETURNING Z_MAX")
            try statement.bind(count, at: 1)
            try statement.bind(Int64(plan.root) + 1, at: 2)
            guard try statement.step() else { return nil }
            let last = statement.int64(0)
            _ = try statement.step()
            // Keys count from 1, and there must be a next one.
            return last >= count && last < .max ? last : nil
        }
        guard let last else {
            throw .damaged(path: file.path, detail: "Z_PRIMARYKEY has no usable row for '\(plan.name)'")
        }
        return last - count + 1
    }

    /// The last key of an inheritance tree that was given out.
    func lastKey(ofTree root: Int) throws(StoreError) -> Int64 {
        try translating { () throws(SQLiteError) in
            let query = try connection.cached("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = ?1")
            try query.bind(Int64(root) + 1, at: 1)
            guard try query.step() else { return 0 }
            defer { query.reset() }
            return query.int64(0)
        }
    }
}

extension StoreWriter {
    /// The last key of each inheritance tree that was given out, by the name of its root.
    func lastKeys() throws(StoreError) -> [String: Int64] {
        var keys: [String: Int64] = [:]
        for entity in file.model.model.entities where entity.superentityIndex == nil {
            keys[entity.name] = try lastKey(ofTree: entity.index)
        }
        return keys
    }

    /// Lets the keys that are given out from now on come after those of `keys`, which names roots; in a transaction of its own.
    func giveOutKeys(after keys: [String: Int64]) throws(StoreError) {
        try transaction { () throws(StoreError) in
            for entity in file.model.model.entities where entity.superentityIndex == nil {
                guard let last = keys[entity.name], last < .max else { continue }
                try translating { () throws(SQLiteError) in
                    let statement = try connection.cached(
                        "UPDATE Z_PRIMARYKEY SET Z_MAX = ?1 WHERE Z_ENT = ?2 AND Z_MAX < ?1")
                    try statement.bind(last, at: 1)
                    try statement.bind(Int64(entity.index) + 1, at: 2)
                    try statement.run()
                }
            }
        }
    }
}

extension SaveRun {
    /// Checks the keys that new objects bring along: each was given out, belongs to no row, and is wanted once.
    ///
    /// Whoever knows a key may use it: like every other right, that is one of the store, not of its single rows. None can take the key
    /// of a row that is there.
    func checkReservedKeys() throws(StoreError) {
        guard save.inserts.contains(where: { $0.firstKey != 0 }) else { return }
        var taken: [(root: Int, first: Int64, last: Int64)] = []
        for group in save.inserts where group.firstKey != 0 {
            let plan = try writer.plan(group.entity)
            let count = group.temporaryIDs.count
            let (end, isPast) = group.firstKey.addingReportingOverflow(Int64(count))
            guard group.firstKey > 0, !isPast, end - 1 <= (try writer.lastKey(ofTree: plan.root)),
                !(try hasRow(group.firstKey..<end, plan))
            else { throw .unreservedKeys(entity: plan.name, firstKey: group.firstKey, count: count) }
            if count > 0 { taken.append((plan.root, group.firstKey, end - 1)) }
        }
        taken.sort { ($0.root, $0.first) < ($1.root, $1.first) }
        for (one, next) in zip(taken, taken.dropFirst()) where one.root == next.root && one.last >= next.first
        {
            throw .malformedRequest("two new objects have the key \(next.first)")
        }
    }

    private func hasRow(_ keys: Range<Int64>, _ plan: EntityPlan) throws(StoreError) -> Bool {
        try translating { () throws(SQLiteError) in
            let query = try plan.statement(.taken, on: connection) {
                "SELECT 1 FROM \(plan.entity.table) WHERE Z_PK >= ?1 AND Z_PK < ?2 LIMIT 1"
            }
            try query.bind(keys.lowerBound, at: 1)
            try query.bind(keys.upperBound, at: 2)
            defer { query.reset() }
            return try query.step()
        }
    }
}
