internal import CofferModel
internal import CofferSQLite
package import CofferWire

// In each tree root's row of Z_PRIMARYKEY stands the last key that was given out in that inheritance tree.

extension StoreWriter {
    /// Gives out keys for objects that later saves insert, durably; returns, for each reservation, the first
    /// of its keys.
    ///
    /// They are given out for good, whether or not they are ever used; each can be used once.
    /// - Throws: `StoreError.tooLarge` if all together want more than `Limits.reservedKeys`;
    ///   `.unknownEntity`, and `.malformedRequest` for an abstract one; then no key is given out.
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
                let plan = try plan(reservation.entity)
                let first = try allocateKeys(Int64(reservation.count), for: plan)
                if reservation.count > 0 {
                    let last = first + Int64(reservation.count) - 1
                    try translating { () throws(SQLiteError) in
                        try ReservedKeys(of: plan.root, plan.numbers, on: connection).add(first...last)
                    }
                }
                firstKeys.append(first)
            }
            // The file of a whole store must say how far keys were given out, or gives them out again.
            if file.backing?.file != nil, total > 0 { changesContent = true }
            return firstKeys
        }
    }

    /// The first of `count` new keys, inside a transaction.
    func allocateKeys(_ count: Int64, for plan: EntityPlan) throws(StoreError) -> Int64 {
        let last = try translating { () throws(SQLiteError) -> Int64? in
            // In a file that is written as a whole, objects of all trees are numbered together.
            let greatest =
                file.backing?.file == nil
                ? "Z_MAX"
                : "(SELECT max(Z_MAX) FROM Z_PRIMARYKEY WHERE Z_ENT < \(FixedTables.changeEntity))"
            let statement = try connection.cached(
                "UPDATE Z_PRIMARYKEY SET Z_MAX = \(greatest) + ?1 WHERE Z_ENT = ?2 RETURNING Z_MAX")
            try statement.bind(count, at: 1)
            try statement.bind(Int64(plan.numbers[plan.root]), at: 2)
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

    /// The last key that was given out in an inheritance tree.
    func lastKey(ofTree root: Int) throws(StoreError) -> Int64 {
        try translating { () throws(SQLiteError) in
            let query = try connection.cached("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = ?1")
            try query.bind(Int64(file.schema.numbers[root]), at: 1)
            guard try query.step() else { return 0 }
            defer { query.reset() }
            return query.int64(0)
        }
    }
}

extension StoreWriter {
    /// The last key that was given out in each inheritance tree, by the name of its root.
    func lastKeys() throws(StoreError) -> [String: Int64] {
        var keys: [String: Int64] = [:]
        for entity in file.model.model.entities where entity.superentityIndex == nil {
            keys[entity.name] = try lastKey(ofTree: entity.index)
        }
        return keys
    }

    /// Makes the keys that are given out from now on come after those of `keys`, which are by root name; in a
    /// transaction of its own.
    ///
    /// Reserved keys that were not used lose their reservation: the client that reserved them may have used
    /// them elsewhere.
    func giveOutKeys(after keys: [String: Int64]) throws(StoreError) {
        try transaction { () throws(StoreError) in
            try translating { () throws(SQLiteError) in try ReservedKeys.removeAll(on: connection) }
            for entity in file.model.model.entities where entity.superentityIndex == nil {
                guard let last = keys[entity.name], last < .max else { continue }
                try translating { () throws(SQLiteError) in
                    let statement = try connection.cached(
                        "UPDATE Z_PRIMARYKEY SET Z_MAX = ?1 WHERE Z_ENT = ?2 AND Z_MAX < ?1")
                    try statement.bind(last, at: 1)
                    try statement.bind(Int64(file.schema.numbers[entity.index]), at: 2)
                    try statement.run()
                }
            }
        }
    }
}
