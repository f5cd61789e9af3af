internal import CofferModel
internal import CofferSQLite
internal import CofferWire

extension SaveRun {
    /// Decides, by the request's policy, about an update whose row differs from its snapshot.
    mutating func resolve(_ group: RequestedUpdates, _ row: Int) throws(StoreError) {
        let plan = group.plan
        let key = group.request.primaryKeys[row]
        guard let stored = try writer.storedRow(plan, key) else {
            try objects.checkGone(plan.object(key))
            return try resolveDeleted(group, row)
        }
        _ = try writer.storedVersion(plan, key)  // Only of a sound one can anybody be in conflict.
        if try writer.hasNewSetsAlone(plan, key, since: group.request.versions[row]) {
            let wanted = group.columns.filter { !objects.isProtected(plan.row(key), $0.property) }
            return try merge(
                wanted, row: row, of: plan, key: key, version: stored.versions[0], deferringTo: group)
        }
        let rule = mergeRule
        if rule.decide(.contested) == .conflict {
            return outcome.addConflict(
                plan.object(key), snapshotVersion: group.request.versions[row], stored: stored)
        }
        var wanted = group.columns.filter { column in
            if objects.isProtected(plan.row(key), column.property) { return false }
            let situation = MergeSituation(isUnchanged: group.knows(column.property, row: row, as: stored))
            return rule.decide(situation, in: .contested) == .wanted
        }
        if rule.writesWholeObjects {
            let others = try writer.leavingMissing(group.otherColumns, row: row, of: plan, key: key)
            guard try references.endsExist(others, row: row, of: plan, key: key) else { return }
            wanted += others
        }
        try merge(wanted, row: row, of: plan, key: key, version: stored.versions[0], deferringTo: group)
    }

    /// Writes the values that the policy lets the client write over a row of `version`.
    ///
    /// Before the deletes, a row of `group` that a uniqueness constraint forbids waits for them.
    mutating func merge(
        _ columns: [Column], row: Int, of plan: EntityPlan, key: Int64, version: UInt32,
        deferringTo group: RequestedUpdates? = nil
    ) throws(StoreError) {
        changes.refresh(plan.object(key))
        guard !columns.isEmpty else { return }
        do throws(SQLiteError) {
            let statement = try plan.update(columns, on: writer.connection)
            try pairs.willWrite(columns, of: plan, key: key)
            for part in statement.touching {
                let property = statement.parts[part].property
                guard let inverse = property.inverse else { continue }
                if let owner = try writer.storedEnd(property, of: plan, key) {
                    changes.touch(owner, inverse.property)
                }
                if let owner = columns[part].end(at: row) { changes.touch(owner, inverse.property) }
            }
            switch try write(row, of: columns, by: statement, plan, key: key, version: version) {
            case .written: changes.addUpdate(of: plan.object(key), version: version, by: statement)
            case .forbidden(let rule):
                if let group {
                    deferred.append(DeferredUpdate(group: group, row: row, columns: columns))
                } else {
                    try constraints.didForbid(row, of: columns, plan: plan, key: key, by: rule)
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
    private mutating func resolveDeleted(_ group: RequestedUpdates, _ row: Int) throws(StoreError) {
        let plan = group.plan
        let (key, version) = (group.request.primaryKeys[row], group.request.versions[row])
        switch mergeRule.decide(.contested) {
        case .conflict: outcome.addConflict(plan.object(key), snapshotVersion: version, stored: nil)
        case .stored: changes.addAlsoDeleted(plan.object(key), version: version)
        case .wanted:
            // A key that was never given out may still become another object's.
            guard key > 0, key <= (try writer.lastKey(ofTree: plan.root)) else {
                throw .unknownObject(entity: plan.name, primaryKey: key)
            }
            try bringBack(group, row, isLast: false)
        }
    }

    /// Brings a deleted object back with what its client has of it.
    ///
    /// Before the deletes of the save, that is unless `isLast`, an object that a uniqueness constraint
    /// forbids waits for them.
    mutating func bringBack(_ group: RequestedUpdates, _ row: Int, isLast: Bool) throws(StoreError) {
        let plan = group.plan
        let (key, version) = (group.request.primaryKeys[row], group.request.versions[row])
        if isLast, try !references.endsExist(group.columns, row: row, of: plan, key: key) { return }
        let columns = group.columns + (try references.presentEnds(group.otherColumns, row, of: plan))
        let isWhole = plan.required.allSatisfy { property in
            columns.contains { $0.property == property && !$0.isNull(row) }
        }
        guard isWhole else {
            return outcome.addConflict(plan.object(key), snapshotVersion: version, stored: nil)
        }
        try insertAgain(
            columns, row: row, of: plan, key: key, version: version, deferringTo: isLast ? nil : group)
    }

    /// Brings a deleted object back under its old key, of which its client knew `version`.
    ///
    /// Before the deletes, a row of `group` that a uniqueness constraint forbids waits for them.
    private mutating func insertAgain(
        _ columns: [Column], row: Int, of plan: EntityPlan, key: Int64, version: UInt32,
        deferringTo group: RequestedUpdates?
    ) throws(StoreError) {
        // Others may know later versions than that client did: none of them may be mistaken for this one.
        let version = version &+ Limits.versionsPastDeletion &+ UInt32(writer.file.environment.makeNumber())
        do throws(SQLiteError) {
            let statement = try plan.insert(columns, on: writer.connection)
            try bind(row, of: columns, to: statement, plan, key: key, version: version)
            if let rule = try statement.statement.runUnlessForbidden() {
                if let group {
                    let update = DeferredUpdate(group: group, row: row, columns: [], bringsBack: true)
                    return deferred.append(update)
                }
                return try constraints.didForbid(
                    row, of: columns, plan: plan, key: key, by: ForbiddingRule(rule))
            }
            for part in statement.decimals {
                try writer.writeDigits(of: columns[part], row: row, to: key, in: plan)
            }
            changes.touchOwners(statement, columns, row: row)
            try pairs.willWrite(columns, of: plan, key: key)
        } catch {
            throw StoreError(error)
        }
        objects.didBringBack(plan.object(key))
        changes.refresh(plan.object(key))
        changes.add(
            ChangeGroup(kind: .insert, entity: plan.index, primaryKeys: [key], versions: [version]))
    }
}

extension SaveRun {
    /// Repeats updates that a uniqueness constraint forbade before the deletes.
    ///
    /// Their rows had the versions of the request then, or a policy has decided about them, and no other
    /// connection writes: the effects of delete rules since then are not conflicts.
    mutating func updateDeferred() throws(StoreError) {
        if deferred.isEmpty { return }
        let updates = try deferred.removeAll(writer: writer)
        for update in updates where !update.bringsBack { try updateAgain(update) }
        for update in updates where update.bringsBack {
            // The objects that it names may have been deleted since.
            try bringBack(update.group, update.row, isLast: true)
        }
    }

    /// Repeats the update of one row, which a delete rule may have deleted meanwhile.
    private mutating func updateAgain(_ update: DeferredUpdate) throws(StoreError) {
        let (columns, row, plan, key) = (update.columns, update.row, update.plan, update.key)
        guard let version = try writer.storedVersion(plan, key),
            try references.endsExist(columns, row: row, of: plan, key: key)
        else { return }
        do throws(SQLiteError) {
            let statement = try plan.update(columns, on: writer.connection)
            switch try write(row, of: columns, by: statement, plan, key: key, version: version) {
            case .written:
                changes.touchOwners(statement, columns, row: row)
                changes.addUpdate(of: plan.object(key), version: version, by: statement)
            case .forbidden(let rule):
                try constraints.didForbid(row, of: columns, plan: plan, key: key, by: rule)
            case .stale: throw writer.unsoundVersion  // Nobody else writes.
            }
        } catch {
            throw StoreError(error)
        }
    }
}
