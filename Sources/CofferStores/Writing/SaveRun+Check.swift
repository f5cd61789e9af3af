internal import CofferModel
internal import CofferSQLite
internal import CofferWire

extension SaveRun {
    /// Checks form and types of the whole request, gives keys to what it inserts, and resolves references to them.
    mutating func check() throws(StoreError) {
        for group in save.inserts {
            let plan = try writer.plan(group.entity)
            guard !plan.description.isAbstract else {
                throw .malformedRequest("'\(plan.name)' is abstract and has no objects")
            }
            try ColumnCheck.check(group.columns, rows: group.temporaryIDs.count, of: plan)
            try checkNotDerived(group.columns, of: plan)
            groupRuns.append(insertCount + group.temporaryIDs.count)
        }
        for group in save.updates {
            let plan = try writer.plan(group.entity)
            guard group.versions.count == group.primaryKeys.count else {
                throw .malformedRequest("an update of '\(plan.name)' has not one version for each key")
            }
            try ColumnCheck.check(group.columns, rows: group.primaryKeys.count, of: plan)
            try checkNotDerived(group.columns, of: plan)
            try checkSnapshot(group.oldColumns, of: group, plan)
            try checkSnapshot(group.otherColumns, of: group, plan)
            try checkNotDerived(group.otherColumns, of: plan)
        }
        for group in save.deletes {
            let plan = try writer.plan(group.entity)
            guard group.versions.count == group.primaryKeys.count else {
                throw .malformedRequest("a delete of '\(plan.name)' has not one version for each key")
            }
            for key in group.primaryKeys { explicitDeletes.insert(RowKey(root: plan.root, key: key)) }
        }
        try takeReservedKeys()
        for group in save.inserts { firstKeys.append(try takeKeys(for: group)) }
        noteInsertedKeys()
        insertColumns = try resolved(save.inserts.map { $0.columns })
        updateColumns = try resolved(save.updates.map { $0.columns })
    }

    /// Checks what the client has read of the objects that a group updates.
    private func checkSnapshot(
        _ columns: [Column], of group: UpdateGroup, _ plan: EntityPlan
    ) throws(StoreError) {
        if columns.isEmpty { return }
        try ColumnCheck.check(columns, rows: group.primaryKeys.count, of: plan)
        if columns.contains(where: { $0.namesInserted }) {
            throw .malformedRequest("a snapshot of '\(plan.name)' names an object that is not saved")
        }
    }

    private func checkNotDerived(_ columns: [Column], of plan: EntityPlan) throws(StoreError) {
        guard plan.hasDerived else { return }
        for column in columns {
            guard let property = plan.properties[column.property], property.isDerived else { continue }
            throw .unsupported(
                entity: plan.name, property: property.name,
                detail: "it is derived: only the store writes it")
        }
    }

    /// Checks values against the model.
    mutating func validate() throws(StoreError) {
        for (place, group) in save.inserts.enumerated() {
            let plan = try writer.plan(group.entity)
            for fault in try writer.validation.faults(
                in: group.columns, rows: group.temporaryIDs.count, of: plan, isComplete: true)
            {
                fail(
                    group.entity, firstKeys[place] + Int64(fault.row), fault.property, fault.reason,
                    fault.text)
            }
        }
        for group in save.updates {
            let plan = try writer.plan(group.entity)
            for fault in try writer.validation.faults(
                in: group.columns, rows: group.primaryKeys.count, of: plan, isComplete: false)
            {
                fail(group.entity, group.primaryKeys[fault.row], fault.property, fault.reason, fault.text)
            }
        }
    }

    /// The first of the keys that the group's rows get.
    private func takeKeys(for group: InsertGroup) throws(StoreError) -> Int64 {
        if group.firstKey != 0 { return group.firstKey }
        return try writer.takeKeys(Int64(group.temporaryIDs.count), for: try writer.plan(group.entity))
    }

    private func resolved(_ groups: [[Column]]) throws(StoreError) -> [[Column]] {
        var resolved = groups
        for group in groups.indices {
            for (place, column) in groups[group].enumerated() where column.namesInserted {
                resolved[group][place] = try column.resolved { reference throws(StoreError) in
                    try self.insertedKey(reference).key
                }
            }
        }
        return resolved
    }

    /// The object that a negative reference stands for: -(1 + place) among all inserts.
    func insertedKey(_ reference: Int64) throws(StoreError) -> LeafKey {
        let place = -(reference + 1)  // Cannot overflow: the least integer gives the greatest.
        guard place < Int64(insertCount) else {
            throw .malformedRequest("a reference names insert \(place) of \(insertCount)")
        }
        if !resolution.merged.isEmpty, let object = mergedObject(Int(place)) { return object }
        return newObject(Int(place))
    }

    /// Checks that all objects named by to-one relationships of inserts, or of updates, exist and are what is wanted.
    mutating func checkReferences(ofInserts isInsert: Bool) throws(StoreError) {
        for (group, columns) in (isInsert ? insertColumns : updateColumns).enumerated() {
            for column in columns {
                guard case .references(let keys, let leafs) = column.values else { continue }
                let entity = isInsert ? save.inserts[group].entity : save.updates[group].entity
                let plan = try writer.plan(entity)
                let property = try plan.property(column.property)
                for row in keys.indices where !column.isNull(row) {
                    if try isFit(keys[row], leaf: Int(leafs[row]), for: property, of: plan) { continue }
                    let key =
                        isInsert ? firstKeys[group] + Int64(row) : save.updates[group].primaryKeys[row]
                    if !isInsert, isKept(RowKey(root: plan.root, key: key), property.index) { continue }
                    if !isInsert, mayComeBack(keys[row], entity: Int(leafs[row])) { continue }
                    fail(
                        plan.index, key, property.name, .unknownObject,
                        "'\(plan.name).\(property.name)' names an object that does not exist")
                }
            }
        }
    }

    /// Whether the request changes a deleted object that the policy then brings back, or refuses as a conflict.
    mutating func mayComeBack(_ key: Int64, entity: Int) -> Bool {
        guard mergeRule.decide(.contested) == .wanted else { return false }
        return isUpdated(LeafKey(entity: entity, key: key))
    }

    /// Whether the request updates an object.
    mutating func isUpdated(_ object: LeafKey) -> Bool {
        let updated = updatedObjects ?? objectsOfUpdates()
        updatedObjects = updated
        return updated.contains(object)
    }

    private func objectsOfUpdates() -> Set<LeafKey> {
        var objects: Set<LeafKey> = []
        for group in save.updates {
            for key in group.primaryKeys { objects.insert(LeafKey(entity: group.entity, key: key)) }
        }
        return objects
    }

    /// Whether the object exists; where it is no kind of the destination the request is wrong.
    mutating func isFit(
        _ key: Int64, leaf: Int, for property: EntityPlan.Property, of plan: EntityPlan
    ) throws(StoreError) -> Bool {
        let model = writer.file.schema.model
        guard let relationship = property.relationship,
            model.destination(of: relationship).familyIndices.contains(leaf)
        else {
            throw .wrongType(
                entity: plan.name, property: property.name, detail: "it names an object of another entity")
        }
        return try self.leaf(of: key, inTreeOf: model.entities[leaf].rootIndex) == leaf
    }

    /// The leaf entity of an object that is stored or inserted; `nil` where there is none, -1 where it is none of the store's.
    mutating func leaf(of key: Int64, inTreeOf root: Int) throws(StoreError) -> Int? {
        let place = RowKey(root: root, key: key)
        if let known = leaves[place] { return known }
        if let new = inserted(key, inTreeOf: root) {
            // One that became another has no row: who means that one says so by its place.
            if resolution.merged[start(ofGroup: new.group) + new.row] != nil { return nil }
            let entity = save.inserts[new.group].entity
            leaves[place] = .some(entity)
            return entity
        }
        let plan = try writer.treePlan(root)
        let found = try translating { () throws(SQLiteError) -> Int? in
            let statement = try plan.statement(.leaf, on: connection) {
                "SELECT Z_ENT FROM \(plan.entity.table) WHERE Z_PK = ?1"
            }
            try statement.bind(key, at: 1)
            guard try statement.step() else { return nil }
            defer { statement.reset() }
            // A row of a damaged file may say anything: then it is no object of any entity.
            return writer.file.schema.entity(numbered: Int(statement.int64(0)))?.index ?? -1
        }
        leaves[place] = .some(found)
        return found
    }
}

extension StoreWriter {
    /// The plan of any entity that shares the table of `root`, which may not be in the configuration itself.
    func treePlan(_ root: Int) throws(StoreError) -> EntityPlan {
        let family = file.schema.model.entities[root].familyIndices
        return try plan(family.first { file.schema.entities[$0] != nil } ?? root)
    }
}
