internal import CofferModel
internal import CofferSQLite
internal import CofferWire

extension SaveRun {
    /// Deletes what the request names, and what delete rules lead to from there.
    ///
    /// Rules are applied in the database, on what the request itself neither deletes nor has changed already. Circles end, since an
    /// object is deleted once.
    mutating func deleteAll() throws(StoreError) {
        for group in save.deletes {
            for (row, key) in group.primaryKeys.enumerated() {
                worklist.append((LeafKey(entity: group.entity, key: key), group.versions[row]))
            }
        }
        worklist.reverse()
        try runWorklist()
        objects.didDeleteRequested()
        for rule in postponed { try apply(rule) }
        try runWorklist()
    }

    mutating func runWorklist() throws(StoreError) {
        while let (object, version) = worklist.popLast() { try delete(object, version: version) }
    }

    /// Deletes one object; `version` is what the request has seen, `nil` where a rule demands it.
    private mutating func delete(_ object: LeafKey, version: UInt32?) throws(StoreError) {
        let plan = try writer.plan(object.entity)
        if objects.isDeleted(object) { return }
        guard let facts = try translating({ () throws(SQLiteError) in try facts(of: object.key, plan) })
        else {
            return try objects.checkGone(object)  // Somebody deleted it before: what was wanted is so.
        }
        if let version, version != facts.version, try !mayDelete(plan, object.key, version, facts.version) {
            return
        }
        try translating { () throws(SQLiteError) in
            let statement = try plan.statement(.delete, on: connection) {
                "DELETE FROM \(plan.entity.table) WHERE Z_PK = ?1 AND Z_ENT = \(plan.entity.number) AND Z_OPT = ?2"
            }
            try statement.bind(object.key, at: 1)
            try statement.bind(Int64(facts.version), at: 2)
            try statement.run()
            if plan.hasDecimals { try forgetDigits(plan, object.key) }
        }
        objects.didDelete(object)
        changes.addDelete(of: object, plan, preserved: facts.preserved)
        if version == nil { changes.addAlsoDeleted(object, version: facts.version) }
        try applyRules(of: plan, object.key, facts.references)
    }

    /// Whether the policy lets the request delete an object that has changed since.
    private mutating func mayDelete(
        _ plan: EntityPlan, _ key: Int64, _ version: UInt32, _ stored: UInt32
    ) throws(StoreError) -> Bool {
        switch mergeRule.decide(.contested) {
        case .wanted: return true
        case .stored:
            changes.refresh(plan.object(key))
            return false
        case .conflict:
            outcome.addConflict(
                plan.object(key), snapshotVersion: version, stored: try writer.storedRow(plan, key))
            return false
        }
    }

    /// What must be known of a row before it goes.
    private struct DeletionFacts {
        var version: UInt32
        /// By property: whom its to-one relationships name.
        var references: [Int: LeafKey]
        var preserved: [HistoryWriter.Value]
    }

    private func facts(of key: Int64, _ plan: EntityPlan) throws(SQLiteError) -> DeletionFacts? {
        let query = try plan.statement(.deletionFacts, on: connection) {
            var columns = ["Z_OPT"]
            for property in plan.properties.compactMap(\.self) {
                if case .toOne(let column, let entityColumn, _) = property.stored {
                    columns += [column, entityColumn ?? "NULL"]
                }
            }
            columns += plan.history.preserved.map(\.column)
            return "SELECT \(columns.joined(separator: ", ")) FROM \(plan.entity.table) "
                + "WHERE Z_PK = ?1 AND Z_ENT = \(plan.entity.number)"
        }
        try query.bind(key, at: 1)
        guard try query.step() else { return nil }
        defer { query.reset() }
        var facts = DeletionFacts(
            version: try writer.version(query), references: [:], preserved: [])
        var column = 1
        for property in plan.properties.compactMap(\.self) {
            guard case .toOne = property.stored else { continue }
            if !query.isNull(column) {
                facts.references[property.index] = property.end(
                    query.int64(column), entityNumber: query.int64(column + 1))
            }
            column += 2
        }
        for _ in plan.history.preserved {
            let place = plan.history.preserved[facts.preserved.count].property
            let value = HistoryWriter.Value(query, column)
            // A file goes with its object.
            let isGone = plan.properties[place]?.attribute?.allowsExternalStorage ?? false && value.isInFile
            facts.preserved.append(isGone ? .null : value)
            column += 1
        }
        return facts
    }

    private func forgetDigits(_ plan: EntityPlan, _ key: Int64) throws(SQLiteError) {
        let statement = try connection.cached("DELETE FROM COFFER_DECIMAL WHERE relation = ?1 AND key = ?2")
        try statement.bind(plan.entity.table, at: 1)
        try statement.bind(key, at: 2)
        try statement.run()
    }
}
