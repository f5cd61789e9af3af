internal import CofferModel
internal import CofferSQLite
internal import CofferWire

extension SaveRun {
    /// Keys that new objects bring along.
    private struct Taken {
        let root: Int
        let keys: ClosedRange<Int64>
    }

    /// Checks the keys that new objects bring along, and notes that they are used: each was given out, was not used before, and is wanted
    /// once.
    ///
    /// Whoever knows a key may use it: like every other right, that is one of the store, not of its single rows. None can take the key
    /// of an object that is there, or was.
    func takeReservedKeys() throws(StoreError) {
        guard save.inserts.contains(where: { $0.firstKey != 0 }) else { return }
        var taken: [Taken] = []
        for group in save.inserts where group.firstKey != 0 {
            let plan = try writer.plan(group.entity)
            let count = group.temporaryIDs.count
            let (end, isPast) = group.firstKey.addingReportingOverflow(Int64(count))
            guard group.firstKey > 0, !isPast, end - 1 <= (try writer.lastKey(ofTree: plan.root)),
                !(try hasRow(group.firstKey..<end, plan)),
                try areReserved(group.firstKey..<end, plan)
            else { throw .unreservedKeys(entity: plan.name, firstKey: group.firstKey, count: count) }
            if count > 0 { taken.append(Taken(root: plan.root, keys: group.firstKey...(end - 1))) }
        }
        taken.sort { ($0.root, $0.keys.lowerBound) < ($1.root, $1.keys.lowerBound) }
        for (one, next) in zip(taken, taken.dropFirst())
        where one.root == next.root && one.keys.upperBound >= next.keys.lowerBound {
            throw .malformedRequest("two new objects have the key \(next.keys.lowerBound)")
        }
        for taken in taken { try use(taken) }
    }

    private func use(_ taken: Taken) throws(StoreError) {
        try translating { () throws(SQLiteError) in
            let reserved = ReservedKeys(of: taken.root, writer.file.schema.numbers, on: connection)
            guard let range = try reserved.range(around: taken.keys) else { return }
            try reserved.use(taken.keys, of: range)
        }
    }

    private func areReserved(_ keys: Range<Int64>, _ plan: EntityPlan) throws(StoreError) -> Bool {
        if keys.isEmpty { return true }
        return try translating { () throws(SQLiteError) in
            let reserved = ReservedKeys(of: plan.root, plan.numbers, on: connection)
            return try reserved.range(around: keys.lowerBound...(keys.upperBound - 1)) != nil
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
