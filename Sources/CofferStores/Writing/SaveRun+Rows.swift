internal import CofferModel
internal import CofferSQLite
internal import CofferWire

/// Whose places in an ordered relationship are counted: a property of an entity, and the owner's key.
struct OrderedOwner: Hashable {
    var entity: Int
    var property: Int
    var owner: Int64
}

/// Who had an object in a to-many relationship before the object's own end of it was written.
private struct FormerOwner {
    var object: LeafKey
    var property: Int
}

extension SaveRun {
    /// Inserts the rows of one group.
    mutating func insert(_ group: Int) throws(StoreError) {
        let request = save.inserts[group]
        let columns = self.columns.inserts[group]
        let plan = try writer.plan(request.entity)
        let count = request.temporaryIDs.count
        guard count > 0 else { return }
        do throws(SQLiteError) {
            let statement = try plan.insert(columns, on: connection)
            try statement.statement.bind(Int64(1), at: 2)
            for row in 0..<count {
                try statement.statement.bind(inserted.firstKeys[group] + Int64(row), at: 1)
                for index in statement.parts.indices {
                    try statement.bind(
                        columns[index], row: row, to: statement.parts[index],
                        key: inserted.firstKeys[group] + Int64(row))
                }
                try bindPlaces(statement, columns, row, plan)
                if let rule = try statement.statement.runUnlessForbidden() {
                    let key = inserted.firstKeys[group] + Int64(row)
                    try noteConstraint(plan, key, columns, row, rule.code, rule.message)
                }
            }
            for part in statement.decimals {
                for row in 0..<count {
                    try keepDigits(columns[part], row, plan, inserted.firstKeys[group] + Int64(row))
                }
            }
            changes.touchOwners(statement, columns, request.columns)
        } catch {
            throw StoreError(error)
        }
        changes.add(
            ChangeGroup(
                kind: .insert, entity: plan.index,
                primaryKeys: (0..<count).map { inserted.firstKeys[group] + Int64($0) },
                versions: Array(repeating: 1, count: count), columns: columns))
    }

    /// Updates the rows of one group, as far as their versions are those of the request.
    mutating func update(_ group: Int) throws(StoreError) {
        let request = save.updates[group]
        let columns = self.columns.updates[group]
        let plan = try writer.plan(request.entity)
        guard !request.primaryKeys.isEmpty, !columns.isEmpty else { return }
        var stale: [Int] = []
        var unwritten: [Int] = []
        var former: [FormerOwner] = []
        let statement: ColumnStatement
        do throws(SQLiteError) {
            statement = try plan.update(columns, on: connection)
            for row in request.primaryKeys.indices {
                if !objects.kept.isEmpty, objects.kept[plan.row(request.primaryKeys[row])] != nil {
                    unwritten.append(row)
                    continue
                }
                if !statement.touching.isEmpty {
                    try findFormerOwners(statement, request, row, plan, &former)
                }
                switch try write(
                    statement, columns, row, plan, request.primaryKeys[row], request.versions[row])
                {
                case .written:
                    touch(former)
                    continue
                case .stale: stale.append(row)
                case .forbidden:
                    touch(former)  // It is written later.
                    deferredUpdates.append(DeferredUpdate(group: group, row: row, columns: columns))
                }
                unwritten.append(row)
            }
        } catch {
            throw StoreError(error)
        }
        if unwritten.isEmpty {
            changes.touchOwners(statement, columns, request.columns)
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
        if objects.kept.isEmpty { return }
        for (row, key) in request.primaryKeys.enumerated() {
            guard let kept = objects.kept[plan.row(key)] else { continue }
            try updateKept(group, row, kept)
        }
    }
}

extension SaveRun {
    /// What became of writing one row.
    enum RowResult {
        case written
        case stale
        case forbidden(code: Int32, message: String)
    }

    /// Writes one row of an update; `version` is the one it must have.
    mutating func write(
        _ statement: ColumnStatement, _ columns: [Column], _ row: Int, _ plan: EntityPlan, _ key: Int64,
        _ version: UInt32
    ) throws(SQLiteError) -> RowResult {
        try bind(statement, columns, row, plan, key, version: version)
        if let rule = try statement.statement.runUnlessForbidden() {
            return .forbidden(code: rule.code, message: rule.message)
        }
        guard connection.changes == 1 else { return .stale }
        guard version < .max else { throw writer.unsoundVersion }
        for part in statement.decimals { try keepDigits(columns[part], row, plan, key) }
        return .written
    }

    /// Binds key, version and values of one row.
    mutating func bind(
        _ statement: ColumnStatement, _ columns: [Column], _ row: Int, _ plan: EntityPlan, _ key: Int64,
        version: UInt32
    ) throws(SQLiteError) {
        try statement.statement.bind(key, at: 1)
        try statement.statement.bind(Int64(version), at: 2)
        for index in statement.parts.indices {
            try statement.bind(columns[index], row: row, to: statement.parts[index], key: key)
        }
        try bindPlaces(statement, columns, row, plan)
    }

    /// Offers the row the next place behind its owner's other objects, where a to-one relationship's inverse has an order.
    mutating func bindPlaces(
        _ statement: ColumnStatement, _ columns: [Column], _ row: Int, _ plan: EntityPlan
    ) throws(SQLiteError) {
        for (index, part) in statement.parts.enumerated() {
            guard let parameter = part.orderParameter else { continue }
            guard case .references(let keys, _) = columns[index].values, !columns[index].isNull(row) else {
                try statement.statement.bindNull(at: parameter)
                continue
            }
            let place = try nextPlace(part.property, of: plan, owner: keys[row])
            try statement.statement.bind(place, at: parameter)
        }
    }

    private mutating func nextPlace(
        _ property: EntityPlan.Property, of plan: EntityPlan, owner: Int64
    ) throws(SQLiteError) -> Int64 {
        let declaring = property.relationship?.declaringEntityIndex ?? plan.index
        let counted = OrderedOwner(entity: declaring, property: property.index, owner: owner)
        var last = lastPlaces[counted]
        if last == nil, let order = property.orderColumn, case .toOne(let column, _, _) = property.stored {
            let query = try plan.statement(.lastPlace(property.index), on: connection) {
                "SELECT max(\(order)) FROM \(plan.entity.table) WHERE \(column) = ?1"
            }
            try query.bind(owner, at: 1)
            if try query.step(), !query.isNull(0) { last = query.int64(0) }
            query.reset()
        }
        let place = OrderPositions.next(after: last)
        lastPlaces[counted] = place
        return place
    }

    /// Keeps a decimal's exact digits beside its row, or forgets former ones.
    func keepDigits(
        _ column: Column, _ row: Int, _ plan: EntityPlan, _ key: Int64
    ) throws(SQLiteError) {
        guard let property = plan.properties[column.property],
            case .attribute(let name, _) = property.stored, case .decimals(let bytes) = column.values
        else { return }
        let digits = column.isNull(row) ? nil : StoredDecimal(bytes, row: row).digitsBesideDouble
        let statement = try connection.cached(
            digits == nil
                ? "DELETE FROM COFFER_DECIMAL WHERE relation = ?1 AND key = ?2 AND property = ?3"
                : "INSERT OR REPLACE INTO COFFER_DECIMAL(relation, key, property, digits) VALUES(?1, ?2, ?3, ?4)"
        )
        try statement.bind(plan.entity.table, at: 1)
        try statement.bind(key, at: 2)
        try statement.bind(name, at: 3)
        if let digits { try statement.bind(digits, at: 4) }
        try statement.run()
    }
}

extension SaveRun {
    /// Finds the owners that a row has before it is written; from the request's old values, else from the row.
    private func findFormerOwners(
        _ statement: ColumnStatement, _ request: UpdateGroup, _ row: Int, _ plan: EntityPlan,
        _ former: inout [FormerOwner]
    ) throws(SQLiteError) {
        former.removeAll(keepingCapacity: true)
        for part in statement.touching {
            let property = statement.parts[part].property
            guard let inverse = property.inverse else { continue }
            let owner: LeafKey?
            if let old = request.oldColumns.first(where: { $0.property == property.index }) {
                owner = old.reference(at: row).map { LeafKey(entity: $0.entity, key: $0.key) }
            } else {
                owner = try writer.storedEnd(property, of: plan, request.primaryKeys[row])
            }
            // What a request says of old owners may be nonsense.
            guard let owner, inverse.owners.contains(owner.entity) else { continue }
            former.append(FormerOwner(object: owner, property: inverse.property))
        }
    }

    /// Notes that the former owners' to-many relationships change.
    private mutating func touch(_ former: [FormerOwner]) {
        for owner in former { changes.touch(owner.object, owner.property) }
    }
}
