internal import CofferModel
internal import CofferSQLite
internal import CofferWire

extension SaveRun {
    /// Checks values against the model.
    mutating func validate() throws(StoreError) {
        for (place, group) in save.inserts.enumerated() {
            let plan = try writer.plan(group.entity)
            for fault in try writer.validation.faults(
                in: group.columns, rows: group.temporaryIDs.count, of: plan, isComplete: true)
            {
                outcome.fail(
                    inserted.reference(
                        to: LeafKey(entity: group.entity, key: inserted.firstKeys[place] + Int64(fault.row))),
                    property: fault.property, fault.reason,
                    fault.text)
            }
        }
        for group in save.updates {
            let plan = try writer.plan(group.entity)
            for fault in try writer.validation.faults(
                in: group.columns, rows: group.primaryKeys.count, of: plan, isComplete: false)
            {
                outcome.fail(
                    inserted.reference(to: LeafKey(entity: group.entity, key: group.primaryKeys[fault.row])),
                    property: fault.property, fault.reason, fault.text)
            }
        }
    }

    /// Checks that all objects named by to-one relationships of inserts, or of updates, exist and are what is wanted.
    mutating func checkReferences(ofInserts isInsert: Bool) throws(StoreError) {
        for (group, columns) in (isInsert ? self.columns.inserts : self.columns.updates).enumerated() {
            for column in columns {
                guard case .references(let keys, let leafs) = column.values else { continue }
                let entity = isInsert ? save.inserts[group].entity : save.updates[group].entity
                let plan = try writer.plan(entity)
                let property = try plan.property(column.property)
                for row in keys.indices where !column.isNull(row) {
                    if try isFit(keys[row], leaf: Int(leafs[row]), for: property, of: plan) { continue }
                    let key =
                        isInsert
                        ? inserted.firstKeys[group] + Int64(row) : save.updates[group].primaryKeys[row]
                    if !isInsert, objects.isKept(plan.row(key), property.index) { continue }
                    if !isInsert, mayComeBack(keys[row], entity: Int(leafs[row])) { continue }
                    outcome.fail(
                        inserted.reference(to: plan.object(key)), property: property.name, .unknownObject,
                        "'\(plan.name).\(property.name)' names an object that does not exist")
                }
            }
        }
    }

    /// Whether the request changes a deleted object that the policy then brings back, or refuses as a conflict.
    mutating func mayComeBack(_ key: Int64, entity: Int) -> Bool {
        guard mergeRule.decide(.contested) == .wanted else { return false }
        return objects.isUpdated(LeafKey(entity: entity, key: key))
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
        return try objects.leaf(of: RowKey(root: model.entities[leaf].rootIndex, key: key)) == leaf
    }
}
