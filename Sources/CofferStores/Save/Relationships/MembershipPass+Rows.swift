internal import CofferModel
internal import CofferSQLite
internal import CofferWire

// To-many relationships without inverse: the row of a member names its only owner.

extension MembershipPass {
    /// Removes the members that the request takes out; this comes before the deletes, whose rules depend on
    /// which objects are members.
    ///
    /// Changes that name objects which are inserted later are made together with the additions.
    func removeFromRows(_ requested: [SetChange], before late: Set<RowKey>) throws(StoreError) {
        try forEachRow(requested) { row throws(StoreError) in
            if !row.removes || row.rows.contains(where: late.contains) { return }
            try leave(row)
        }
    }

    /// Makes all changes of such relationships, when all rows exist.
    ///
    /// An object has one owner: adding it to another one takes it from its former owner. The owners get new
    /// versions; the member keeps its own, since no property of it changes.
    func applyToRows(_ requested: [SetChange]) throws(StoreError) {
        try forEachRow(requested) { row throws(StoreError) in
            if row.rows.contains(where: { objects.isDeleted($0) }) { return }
            if row.removes { try leave(row) } else { try enter(row) }
        }
    }

    /// One member that is added or removed.
    private struct RowChange {
        let change: SetChange
        let index: Int
        let plan: EntityPlan
        let property: EntityPlan.Property
        /// Owner and member, as far as they are stored.
        let rows: [RowKey]

        var removes: Bool { change.removes(index) }
    }

    private func forEachRow(
        _ requested: [SetChange], _ body: (RowChange) throws(StoreError) -> Void
    ) throws(StoreError) {
        for change in requested {
            let plan = try writer.plan(change.entity)
            let property = try property(of: change, plan)
            guard property.isKeptByMembers, let relationship = property.relationship else { continue }
            let root = writer.file.schema.model.destination(of: relationship).rootIndex
            for index in change.owners.indices {
                let rows = [
                    plan.row(change.owners[index]), RowKey(root: root, key: change.targets[index]),
                ]
                try body(
                    RowChange(change: change, index: index, plan: plan, property: property, rows: rows))
            }
        }
    }

    private func enter(_ row: RowChange) throws(StoreError) {
        let (plan, property) = (row.plan, row.property)
        guard case .toMany(let table, let column, _, let order, _) = property.stored,
            let (owner, target) = try ends(of: row.change, row.index, in: property, of: plan)
        else { return }
        let former = try translating { () throws(SQLiteError) in
            let query = try plan.statement(.owner(property.index), on: writer.connection) {
                "SELECT \(column) FROM \(table) WHERE Z_PK = ?1"
            }
            try query.bind(target.key, at: 1)
            defer { query.reset() }
            return try query.step() && !query.isNull(0) ? query.int64(0) : nil
        }
        if former == owner.key { return }
        try translating { () throws(SQLiteError) in
            let statement = try plan.statement(.addMember(property.index), on: writer.connection) {
                "UPDATE \(table) SET \(column) = ?1" + (order.map { ", \($0) = ?3" } ?? "")
                    + " WHERE Z_PK = ?2"
            }
            try statement.bind(owner.key, at: 1)
            try statement.bind(target.key, at: 2)
            if let order {
                let query = try writer.connection.cached(
                    "SELECT max(\(order)) FROM \(table) WHERE \(column) = ?1")
                try query.bind(owner.key, at: 1)
                let last = try query.step() && !query.isNull(0) ? query.int64(0) : nil
                query.reset()
                try statement.bind(OrderPositions.next(after: last), at: 3)
            }
            try statement.run()
        }
        changes.touch(owner, property.index)
        guard let former, let entity = try objects.leaf(of: plan.row(former)), entity >= 0 else { return }
        let formerOwner = LeafKey(entity: entity, key: former)
        if !objects.isDeleted(formerOwner) { changes.touch(formerOwner, property.index) }
    }

    private func leave(_ row: RowChange) throws(StoreError) {
        let (plan, property) = (row.plan, row.property)
        guard case .toMany(let table, let column, _, let order, _) = property.stored else { return }
        // A deleted owner has no members.
        if row.rows[0].key > 0, try objects.leaf(of: row.rows[0]) == nil { return }
        guard let (owner, target) = try ends(of: row.change, row.index, in: property, of: plan) else {
            return
        }
        let didLeave = try translating { () throws(SQLiteError) in
            let statement = try plan.statement(.removeMember(property.index), on: writer.connection) {
                "UPDATE \(table) SET \(column) = NULL" + (order.map { ", \($0) = NULL" } ?? "")
                    + " WHERE \(column) = ?1 AND Z_PK = ?2"
            }
            try statement.bind(owner.key, at: 1)
            try statement.bind(target.key, at: 2)
            try statement.run()
            return writer.connection.changes == 1
        }
        if didLeave { changes.touch(owner, property.index) }
    }
}
