internal import CofferModel
internal import CofferSQLite
internal import CofferWire

extension SaveRun {
    /// Decides, by the request's policy, about an update whose row is not as its snapshot was.
    mutating func resolve(_ group: Int, _ row: Int) throws(StoreError) {
        let request = save.updates[group]
        let plan = try writer.plan(request.entity)
        let key = request.primaryKeys[row]
        guard let stored = try storedRow(plan, key) else {
            try checkGone(plan, key)
            return try resolveDeleted(group, row, plan)
        }
        _ = try storedVersion(plan, key)  // Only of a sound one can anybody be in conflict.
        let columns = updateColumns[group].filter { !isKept(RowKey(root: plan.root, key: key), $0.property) }
        let rule = mergeRule
        if rule.decide(.contested) == .conflict {
            return addConflict(plan, key, request.versions[row], stored)
        }
        var wanted = columns.filter { column in
            let situation = MergeSituation(isUnchanged: request.knows(column.property, row: row, as: stored))
            return rule.decide(situation, in: .contested) == .wanted
        }
        if rule.writesWholeObjects {
            let others = otherColumns(group)
            guard try checkEnds(others, row, plan, key) else { return }
            wanted += others
        }
        try merge(wanted, row, plan, key, version: stored.versions[0], deferringTo: group)
    }

    /// One stored row; `nil` where there is none of this leaf entity.
    func storedRow(_ plan: EntityPlan, _ key: Int64) throws(StoreError) -> RowBatch? {
        try translating { () throws(SQLiteError) in
            var reader = try StoredRow(plan, on: connection)
            return try reader.append(key) ? reader.rows() : nil
        }
    }

    /// Makes sure that an object is gone, not merely of another entity than the request says.
    mutating func checkGone(_ plan: EntityPlan, _ key: Int64) throws(StoreError) {
        guard let leaf = try leaf(of: key, inTreeOf: plan.root), leaf != plan.index else { return }
        throw .unknownObject(entity: plan.name, primaryKey: key)
    }

    mutating func addConflict(_ plan: EntityPlan, _ key: Int64, _ snapshot: UInt32, _ stored: RowBatch?) {
        guard conflicts.count < Limits.outcomeItems else { return }
        // What a client cannot read in one message it is told of when it has dealt with the others.
        conflictColumns += stored?.columns.count ?? 0
        guard conflictColumns <= Limits.conflictColumns || conflicts.isEmpty else { return }
        conflicts.append(
            ConflictMessage(
                entity: plan.index, primaryKey: key, snapshotVersion: snapshot,
                storedVersion: stored?.versions.first ?? 0, stored: stored))
    }

    private func otherColumns(_ group: Int) -> [Column] {
        let written = Set(updateColumns[group].map(\.property))
        return save.updates[group].otherColumns.filter { !written.contains($0.property) }
    }

    /// Whether the objects exist that a row's values name, where that was not looked at before or may have changed since.
    mutating func checkEnds(
        _ columns: [Column], _ row: Int, _ plan: EntityPlan, _ key: Int64
    ) throws(StoreError) -> Bool {
        for column in columns {
            guard case .references(let keys, let leafs) = column.values, !column.isNull(row) else { continue }
            let property = try plan.property(column.property)
            if try isFit(keys[row], leaf: Int(leafs[row]), for: property, of: plan) { continue }
            if mayComeBack(keys[row], entity: Int(leafs[row])) { continue }
            fail(
                plan.index, key, property.name, .unknownObject,
                "'\(plan.name).\(property.name)' names an object that does not exist")
            return false
        }
        return true
    }

    /// Makes sure that a key was given out once: nobody may take one that is still to come.
    private func checkKey(_ key: Int64, _ plan: EntityPlan) throws(StoreError) {
        guard key > 0, key <= (try writer.lastKey(ofTree: plan.root)) else {
            throw .unknownObject(entity: plan.name, primaryKey: key)
        }
    }

    /// Writes what the policy lets the client write over a row of `version`.
    ///
    /// Before the deletes a row of `group` that meets a uniqueness constraint waits for them.
    mutating func merge(
        _ columns: [Column], _ row: Int, _ plan: EntityPlan, _ key: Int64, version: UInt32,
        deferringTo group: Int? = nil
    ) throws(StoreError) {
        refresh.insert(LeafKey(entity: plan.index, key: key))
        guard !columns.isEmpty else { return }
        do throws(SQLiteError) {
            let statement = try plan.update(columns, on: connection)
            try noteWritten(columns, plan, key)
            for part in statement.touching {
                let property = statement.parts[part].property
                if let owner = try reference(property, of: plan, key: key), let inverse = property.inverse {
                    touch(owner.entity, owner.key, inverse.property)
                }
                if case .references(let keys, let entities) = columns[part].values,
                    !columns[part].isNull(row),
                    let inverse = property.inverse
                {
                    touch(Int(entities[row]), keys[row], inverse.property)
                }
            }
            switch try write(statement, columns, row, plan, key, version) {
            case .written:
                changes.append(
                    (
                        ChangeGroup(
                            kind: .update, entity: plan.index, primaryKeys: [key], versions: [version &+ 1],
                            properties: statement.properties), statement.changedColumns
                    ))
            case .forbidden(let code, let message):
                if let group {
                    deferredUpdates.append(DeferredUpdate(group: group, row: row, columns: columns))
                } else {
                    try noteConstraint(plan, key, columns, row, code, message)
                }
            case .stale: throw unsoundVersion  // Nobody else writes.
            }
        } catch {
            throw StoreError(error)
        }
    }
}

extension SaveRun {
    /// Decides about an update whose object is deleted.
    private mutating func resolveDeleted(_ group: Int, _ row: Int, _ plan: EntityPlan) throws(StoreError) {
        let request = save.updates[group]
        let (key, version) = (request.primaryKeys[row], request.versions[row])
        switch mergeRule.decide(.contested) {
        case .conflict: addConflict(plan, key, version, nil)
        case .stored: addDeleted(plan, key, version)
        case .wanted:
            try checkKey(key, plan)
            try bringBack(group, row, isLast: false)
        }
    }

    /// Brings a deleted object back with what its client has of it.
    ///
    /// Before the deletes of the save, and so not with `isLast`, one that meets a uniqueness constraint waits for them.
    mutating func bringBack(_ group: Int, _ row: Int, isLast: Bool) throws(StoreError) {
        let request = save.updates[group]
        let (key, version) = (request.primaryKeys[row], request.versions[row])
        let plan = try writer.plan(request.entity)
        if isLast, try !checkEnds(updateColumns[group], row, plan, key) { return }
        let columns = updateColumns[group] + (try presentEnds(otherColumns(group), row, plan))
        let isWhole = plan.required.allSatisfy { property in
            columns.contains { $0.property == property && !$0.isNull(row) }
        }
        guard isWhole else { return addConflict(plan, key, version, nil) }
        try insertAgain(columns, row, plan, key, version, deferringTo: isLast ? nil : group)
    }

    /// A row's values without the objects that are gone: with those it had nothing to do any more, by their delete rules.
    ///
    /// Whom the request brings back as well, itself among them, is there.
    private mutating func presentEnds(
        _ columns: [Column], _ row: Int, _ plan: EntityPlan
    ) throws(StoreError) -> [Column] {
        var columns = columns
        for place in columns.indices {
            guard case .references(let keys, let leafs) = columns[place].values, !columns[place].isNull(row)
            else { continue }
            let property = try plan.property(columns[place].property)
            if try isFit(keys[row], leaf: Int(leafs[row]), for: property, of: plan)
                || mayComeBack(keys[row], entity: Int(leafs[row]))
            {
                continue
            }
            // That is what everybody looks at first, and less to copy than the whole column.
            columns[place].setNull(row)
        }
        return columns
    }

    mutating func addDeleted(_ plan: EntityPlan, _ key: Int64, _ version: UInt32) {
        alsoDeleted[
            plan.index, default: DeleteGroup(entity: plan.index, primaryKeys: [], versions: [])
        ].primaryKeys.append(key)
        alsoDeleted[plan.index]?.versions.append(version)
    }

    /// Brings a deleted object back under its old key, of which its client knew `version`.
    ///
    /// Before the deletes a row of `group` that meets a uniqueness constraint waits for them.
    private mutating func insertAgain(
        _ columns: [Column], _ row: Int, _ plan: EntityPlan, _ key: Int64, _ version: UInt32,
        deferringTo group: Int?
    ) throws(StoreError) {
        // Others may know later versions than that client did: none of them may pass for this one.
        let version = version &+ Limits.versionsPastDeletion &+ UInt32(writer.file.environment.makeNumber())
        do throws(SQLiteError) {
            let statement = try plan.insert(columns, on: connection)
            try statement.statement.bind(key, at: 1)
            try statement.statement.bind(Int64(version), at: 2)
            for index in statement.parts.indices {
                try statement.bind(columns[index], row: row, to: statement.parts[index], key: key)
            }
            try bindPlaces(statement, columns, row, plan)
            if let rule = try statement.statement.runUnlessForbidden() {
                if let group {
                    let update = DeferredUpdate(group: group, row: row, columns: [], isInsert: true)
                    return deferredUpdates.append(update)
                }
                return try noteConstraint(plan, key, columns, row, rule.code, rule.message)
            }
            for part in statement.decimals { try keepDigits(columns[part], row, plan, key) }
            touchOwners(statement, columns, row)
            try noteWritten(columns, plan, key)
        } catch {
            throw StoreError(error)
        }
        leaves[RowKey(root: plan.root, key: key)] = .some(plan.index)
        refresh.insert(LeafKey(entity: plan.index, key: key))
        changes.append(
            (
                ChangeGroup(kind: .insert, entity: plan.index, primaryKeys: [key], versions: [version]), nil
            ))
    }
}

extension UpdateGroup {
    /// Whether the client had read of a property what a stored row has.
    fileprivate func knows(_ property: Int, row: Int, as stored: RowBatch) -> Bool {
        guard let old = oldColumns.first(where: { $0.property == property }),
            let now = stored.columns.first(where: { $0.property == property })
        else { return false }
        return old.hasSameValue(row, as: now, 0)
    }
}
