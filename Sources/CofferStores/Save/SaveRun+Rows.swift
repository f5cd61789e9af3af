internal import CofferModel
internal import CofferSQLite
internal import CofferWire

/// The former owner of an object in a to-many relationship, before the object's own end was written.
private struct FormerOwner {
    var object: LeafKey
    var property: Int
}

extension SaveRun {
    /// Inserts the rows of all groups.
    mutating func insertAll() throws(StoreError) {
        for group in inserted.groups.indices {
            if inserted.hasMerged { try insertUnmerged(group) } else { try insert(group) }
        }
    }

    private mutating func insert(_ group: Int) throws(StoreError) {
        let request = inserted.groups[group]
        let columns = self.columns.inserts[group]
        let plan = try writer.plan(request.entity)
        let firstKey = inserted.firstKeys[group]
        let count = request.temporaryIDs.count
        guard count > 0 else { return }
        do throws(SQLiteError) {
            let statement = try plan.insert(columns, on: writer.connection)
            try statement.statement.bind(Int64(1), at: 2)
            for row in 0..<count {
                let key = firstKey + Int64(row)
                try statement.statement.bind(key, at: 1)
                for index in statement.parts.indices {
                    try statement.bind(columns[index], row: row, to: statement.parts[index], key: key)
                }
                try places.bindPlaces(of: columns, row: row, to: statement, in: plan, on: writer.connection)
                if let rule = try statement.statement.runUnlessForbidden() {
                    try constraints.didForbid(
                        row, of: columns, plan: plan, key: key, by: ForbiddingRule(rule))
                }
            }
            for part in statement.decimals {
                for row in 0..<count {
                    try writer.writeDigits(of: columns[part], row: row, to: firstKey + Int64(row), in: plan)
                }
            }
            changes.touchOwners(statement, columns, requested: request.columns)
        } catch {
            throw StoreError(error)
        }
        changes.add(
            ChangeGroup(
                kind: .insert, entity: plan.index, primaryKeys: (0..<count).map { firstKey + Int64($0) },
                versions: Array(repeating: 1, count: count), columns: columns))
    }

    /// Updates the rows of one group, as far as their versions are those of the request.
    mutating func update(_ group: RequestedUpdates) throws(StoreError) {
        let (request, columns, plan) = (group.request, group.columns, group.plan)
        guard !request.primaryKeys.isEmpty, !columns.isEmpty else { return }
        var stale: [Int] = []
        var unwritten: [Int] = []
        var former: [FormerOwner] = []
        let statement: ColumnStatement
        do throws(SQLiteError) {
            statement = try plan.update(columns, on: writer.connection)
            for row in request.primaryKeys.indices {
                let key = request.primaryKeys[row]
                if objects.hasProtected(plan.row(key)) {
                    unwritten.append(row)
                    continue
                }
                if !statement.touching.isEmpty {
                    try findFormerOwners(of: request, row: row, by: statement, in: plan, into: &former)
                }
                switch try write(
                    row, of: columns, by: statement, plan, key: key, version: request.versions[row])
                {
                case .written:
                    touch(former)
                    continue
                case .stale: stale.append(row)
                case .forbidden:
                    touch(former)  // It is written later.
                    deferred.append(DeferredUpdate(group: group, row: row, columns: columns))
                }
                unwritten.append(row)
            }
        } catch {
            throw StoreError(error)
        }
        if unwritten.isEmpty {
            changes.touchOwners(statement, columns, requested: request.columns)
            changes.add(
                ChangeGroup(
                    kind: .update, entity: plan.index, primaryKeys: request.primaryKeys,
                    versions: request.versions.map { $0 &+ 1 }, properties: statement.properties,
                    columns: columns), columns: statement.changedColumns)
            return
        }
        let others = Set(unwritten)
        for row in request.primaryKeys.indices where !others.contains(row) {
            changes.touchOwners(statement, columns, row: row)
            changes.addUpdate(
                of: plan.object(request.primaryKeys[row]), version: request.versions[row], by: statement)
        }
        for row in stale { try resolve(group, row) }
        try updateProtected(group)
    }

    /// Writes the rows some of whose properties keep their stored values.
    private mutating func updateProtected(_ group: RequestedUpdates) throws(StoreError) {
        let (request, plan) = (group.request, group.plan)
        for (row, key) in request.primaryKeys.enumerated() {
            guard let protected = objects.protected(plan.row(key)) else { continue }
            let version = request.versions[row]
            guard try writer.storedVersion(plan, key) == version else {
                try resolve(group, row)
                continue
            }
            let columns = group.columns.filter { !protected.contains($0.property) }
            try merge(columns, row: row, of: plan, key: key, version: version, deferringTo: group)
        }
    }
}

extension SaveRun {
    /// The result of writing one row.
    enum RowResult {
        case written
        case stale
        case forbidden(ForbiddingRule)
    }

    /// Writes one row of an update; `version` is the one that it must have.
    mutating func write(
        _ row: Int, of columns: [Column], by statement: ColumnStatement, _ plan: EntityPlan, key: Int64,
        version: UInt32
    ) throws(SQLiteError) -> RowResult {
        try bind(row, of: columns, to: statement, plan, key: key, version: version)
        if let rule = try statement.statement.runUnlessForbidden() { return .forbidden(ForbiddingRule(rule)) }
        guard writer.connection.changes == 1 else { return .stale }
        guard version < .max else { throw writer.unsoundVersion }
        for part in statement.decimals {
            try writer.writeDigits(of: columns[part], row: row, to: key, in: plan)
        }
        return .written
    }

    /// Binds key, version and values of one row.
    mutating func bind(
        _ row: Int, of columns: [Column], to statement: ColumnStatement, _ plan: EntityPlan, key: Int64,
        version: UInt32
    ) throws(SQLiteError) {
        try statement.statement.bind(key, at: 1)
        try statement.statement.bind(Int64(version), at: 2)
        for index in statement.parts.indices {
            try statement.bind(columns[index], row: row, to: statement.parts[index], key: key)
        }
        try places.bindPlaces(of: columns, row: row, to: statement, in: plan, on: writer.connection)
    }

    /// Finds the owners that a row has before it is written, from the request's old values or else from the
    /// row.
    private func findFormerOwners(
        of request: UpdateGroup, row: Int, by statement: ColumnStatement, in plan: EntityPlan,
        into former: inout [FormerOwner]
    ) throws(SQLiteError) {
        former.removeAll(keepingCapacity: true)
        for part in statement.touching {
            let property = statement.parts[part].property
            guard let inverse = property.inverse else { continue }
            let owner: LeafKey?
            if let old = request.oldColumns.first(where: { $0.property == property.index }) {
                owner = old.end(at: row)
            } else {
                owner = try writer.storedEnd(property, of: plan, request.primaryKeys[row])
            }
            // What a request says of former owners may be nonsense.
            guard let owner, inverse.owners.contains(owner.entity) else { continue }
            former.append(FormerOwner(object: owner, property: inverse.property))
        }
    }

    private func touch(_ former: [FormerOwner]) {
        for owner in former { changes.touch(owner.object, owner.property) }
    }
}
