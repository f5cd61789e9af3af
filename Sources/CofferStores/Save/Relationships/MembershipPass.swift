internal import CofferModel
internal import CofferSQLite
internal import CofferWire

/// Adds and removes the members of to-many relationships that are not stored as the inverse of a to-one
/// relationship.
///
/// Memberships merge as sets: an object that is added twice is a member once, and two contexts that add
/// different objects do not conflict. Both ends get new versions, which alone make no conflict.
struct MembershipPass: SavePass {
    let state: SaveState

    /// Makes the changes that name none of the objects that come late.
    func apply(_ changes: [SetChange], before late: Set<RowKey>) throws(StoreError) {
        for change in changes { try apply(change, late: late, isLate: false) }
    }

    /// Makes the changes that name objects that came late: had those been added before the deletes, they
    /// would have been removed again.
    func apply(_ changes: [SetChange], of late: Set<RowKey>) throws(StoreError) {
        if late.isEmpty { return }
        for change in changes { try apply(change, late: late, isLate: true) }
    }

    private func apply(_ change: SetChange, late: Set<RowKey>, isLate: Bool) throws(StoreError) {
        let plan = try writer.plan(change.entity)
        let property = try property(of: change, plan)
        if property.isKeptByMembers { return }
        guard let relationship = property.relationship else { return }
        let targetRoot = writer.file.schema.model.destination(of: relationship).rootIndex
        for index in change.owners.indices {
            if !late.isEmpty {
                let ends = [
                    plan.row(change.owners[index]), RowKey(root: targetRoot, key: change.targets[index]),
                ]
                guard ends.contains(where: late.contains) == isLate else { continue }
                if isLate, ends.contains(where: { objects.isDeleted($0) }) { continue }
            }
            guard let (owner, target) = try ends(of: change, index, in: property, of: plan) else { continue }
            let removes = change.removes(index)
            let didChange = try translating { () throws(SQLiteError) in
                removes
                    ? try leave(target.key, from: owner.key, property: property, of: plan)
                    : try enter(target.key, into: owner.key, property: property, of: plan)
            }
            guard didChange else { continue }
            changes.touch(owner, property.index)
            if let inverse = property.inverse { changes.touch(target, inverse.property) }
        }
    }

    /// The relationship that a change belongs to; its lists are of equal length.
    func property(of change: SetChange, _ plan: EntityPlan) throws(StoreError) -> EntityPlan.Property {
        let property = try plan.property(change.property)
        var isSet = property.isKeptByMembers
        if case .manyToMany = property.stored { isSet = true }
        guard isSet else {
            throw .wrongType(
                entity: plan.name, property: property.name,
                detail: "it is kept by its inverse, or is not a set")
        }
        guard change.owners.count == change.targets.count else {
            throw .malformedRequest(
                "a set change of '\(plan.name).\(property.name)' has owners without targets")
        }
        return property
    }

    /// The owner whose relationship changes, and the object that is added or removed; `nil` if there is
    /// nothing to do, or a failure was added.
    func ends(
        of change: SetChange, _ index: Int, in property: EntityPlan.Property, of plan: EntityPlan
    ) throws(StoreError) -> (owner: LeafKey, target: LeafKey)? {
        // Of an owner that is gone everything is taken out.
        if change.removes(index), change.owners[index] > 0,
            try objects.leaf(of: plan.row(change.owners[index])) == nil
        {
            return nil
        }
        guard
            let owner = try ReferenceCheck(state: state).member(
                change.owners[index], inTreeOf: plan.root, entity: plan.index, in: property, of: plan,
                owner: nil),
            let target = try target(
                change.targets[index], in: property, of: plan, owner: owner, removes: change.removes(index))
        else { return nil }
        return (owner, target)
    }

    /// The object that is added or removed; `nil` if one to remove is gone already, or one to add does not
    /// exist.
    private func target(
        _ reference: Int64, in property: EntityPlan.Property, of plan: EntityPlan, owner: LeafKey,
        removes: Bool
    ) throws(StoreError) -> LeafKey? {
        guard let relationship = property.relationship else { return nil }
        let destination = writer.file.schema.model.destination(of: relationship)
        if removes, reference > 0,
            try objects.leaf(of: RowKey(root: destination.rootIndex, key: reference)) == nil
        {
            return nil
        }
        guard
            let target = try ReferenceCheck(state: state).member(
                reference, inTreeOf: destination.rootIndex, entity: nil, in: property, of: plan,
                owner: owner.key)
        else { return nil }
        guard destination.familyIndices.contains(target.entity) else {
            throw .wrongType(
                entity: plan.name, property: property.name, detail: "it names an object of another entity")
        }
        return target
    }

    /// Whether both ends are the same relationship seen from the same side: then a pair is stored both ways.
    private func isReflexive(_ property: EntityPlan.Property) -> Bool {
        if case .manyToMany(_, let own, _, _, _) = property.stored { own == "REFLEXIVE" } else { false }
    }

    private func enter(_ target: Int64, into owner: Int64, property: EntityPlan.Property, of plan: EntityPlan)
        throws(SQLiteError) -> Bool
    {
        let didEnter = try addMember(target, to: owner, property: property, of: plan)
        if isReflexive(property), owner != target {
            _ = try addMember(owner, to: target, property: property, of: plan)
        }
        return didEnter
    }

    private func addMember(
        _ target: Int64, to owner: Int64, property: EntityPlan.Property, of plan: EntityPlan
    ) throws(SQLiteError) -> Bool {
        guard case .manyToMany(let table, let own, let other, let order, _) = property.stored else {
            return false
        }
        let back = inverseOrder(property)
        let statement = try plan.statement(.addMember(property.index), on: writer.connection) {
            let columns = [own, other, order, back].compactMap(\.self)
            let marks = columns.indices.map { "?\($0 + 1)" }.joined(separator: ", ")
            return "INSERT OR IGNORE INTO \(table) (\(columns.joined(separator: ", "))) VALUES (\(marks))"
        }
        try statement.bind(owner, at: 1)
        try statement.bind(target, at: 2)
        var parameter = 3
        for (column, keyColumn, key) in [(order, own, owner), (back, other, target)] {
            guard let column else { continue }
            let query = try writer.connection.cached(
                "SELECT max(\(column)) FROM \(table) WHERE \(keyColumn) = ?1")
            try query.bind(key, at: 1)
            let last = try query.step() && !query.isNull(0) ? query.int64(0) : nil
            query.reset()
            try statement.bind(OrderPositions.next(after: last), at: parameter)
            parameter += 1
        }
        try statement.run()
        return writer.connection.changes == 1
    }

    /// The column in which the other side keeps its order.
    private func inverseOrder(_ property: EntityPlan.Property) -> String? {
        guard !isReflexive(property), let relationship = property.relationship,
            let inverse = property.inverse,
            case .manyToMany(_, _, _, let order, _) =
                writer.file.schema.entities[relationship.destinationIndex]?.columns[inverse.property]
        else { return nil }
        return order
    }

    private func leave(_ target: Int64, from owner: Int64, property: EntityPlan.Property, of plan: EntityPlan)
        throws(SQLiteError) -> Bool
    {
        let didLeave = try removeMember(target, from: owner, property: property, of: plan)
        if isReflexive(property), owner != target {
            _ = try removeMember(owner, from: target, property: property, of: plan)
        }
        return didLeave
    }

    private func removeMember(
        _ target: Int64, from owner: Int64, property: EntityPlan.Property, of plan: EntityPlan
    ) throws(SQLiteError) -> Bool {
        guard case .manyToMany(let table, let own, let other, _, _) = property.stored else { return false }
        let statement = try plan.statement(.removeMember(property.index), on: writer.connection) {
            "DELETE FROM \(table) WHERE \(own) = ?1 AND \(other) = ?2"
        }
        try statement.bind(owner, at: 1)
        try statement.bind(target, at: 2)
        try statement.run()
        return writer.connection.changes == 1
    }
}

extension SetChange {
    /// Whether the change removes the target at `index`.
    func removes(_ index: Int) -> Bool {
        index / 8 < removed.count && removed[index / 8] >> UInt8(index % 8) & 1 == 1
    }
}
