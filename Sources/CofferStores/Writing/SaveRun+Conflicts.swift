internal import CofferModel
internal import CofferSQLite
internal import CofferWire

extension SaveRun {
    /// Decides, by the request's policy, about an update whose row is not as its snapshot was.
    mutating func resolve(_ group: Int, _ row: Int) throws(StoreError) {
        let request = save.updates[group]
        let plan = try writer.plan(request.entity)
        let key = request.primaryKeys[row]
        guard let stored = try writer.storedRow(plan, key) else {
            try objects.checkGone(plan.object(key))
            return try resolveDeleted(group, row, plan)
        }
        _ = try writer.storedVersion(plan, key)  // Only of a sound one can anybody be in conflict.
        let columns = self.columns.updates[group].filter { !objects.isKept(plan.row(key), $0.property) }
        let rule = mergeRule
        if rule.decide(.contested) == .conflict {
            return outcome.addConflict(
                plan.object(key), snapshotVersion: request.versions[row], stored: stored)
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

    private func otherColumns(_ group: Int) -> [Column] {
        let written = Set(self.columns.updates[group].map(\.property))
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
            outcome.fail(
                inserted.reference(to: plan.object(key)), property: property.name, .unknownObject,
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
        changes.refresh(plan.object(key))
        guard !columns.isEmpty else { return }
        do throws(SQLiteError) {
            let statement = try plan.update(columns, on: connection)
            try noteWritten(columns, plan, key)
            for part in statement.touching {
                let property = statement.parts[part].property
                if let owner = try writer.storedEnd(property, of: plan, key), let inverse = property.inverse {
                    changes.touch(owner, inverse.property)
                }
                if case .references(let keys, let entities) = columns[part].values,
                    !columns[part].isNull(row),
                    let inverse = property.inverse
                {
                    changes.touch(LeafKey(entity: Int(entities[row]), key: keys[row]), inverse.property)
                }
            }
            switch try write(statement, columns, row, plan, key, version) {
            case .written:
                changes.add(
                    ChangeGroup(
                        kind: .update, entity: plan.index, primaryKeys: [key], versions: [version &+ 1],
                        properties: statement.properties), columns: statement.changedColumns)
            case .forbidden(let code, let message):
                if let group {
                    deferredUpdates.append(DeferredUpdate(group: group, row: row, columns: columns))
                } else {
                    try noteConstraint(plan, key, columns, row, code, message)
                }
            case .stale: throw writer.unsoundVersion  // Nobody else writes.
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
        case .conflict: outcome.addConflict(plan.object(key), snapshotVersion: version, stored: nil)
        case .stored: changes.addAlsoDeleted(plan.object(key), version: version)
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
        if isLast, try !checkEnds(self.columns.updates[group], row, plan, key) { return }
        let columns = self.columns.updates[group] + (try presentEnds(otherColumns(group), row, plan))
        let isWhole = plan.required.allSatisfy { property in
            columns.contains { $0.property == property && !$0.isNull(row) }
        }
        guard isWhole else {
            return outcome.addConflict(plan.object(key), snapshotVersion: version, stored: nil)
        }
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
            changes.touchOwners(statement, columns, row: row)
            try noteWritten(columns, plan, key)
        } catch {
            throw StoreError(error)
        }
        objects.didBringBack(plan.object(key))
        changes.refresh(plan.object(key))
        changes.add(ChangeGroup(kind: .insert, entity: plan.index, primaryKeys: [key], versions: [version]))
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
