internal import CofferModel
internal import CofferSQLite
internal import CofferWire

extension SaveRun {
    /// Counts the objects in to-many relationships that changed, where the model bounds them.
    mutating func checkCounts() throws(StoreError) {
        for (place, group) in save.inserts.enumerated() {
            let plan = try writer.plan(group.entity)
            let bounded = plan.properties.compactMap(\.self).filter { isBounded($0.relationship) }
            for property in bounded {
                for row in group.temporaryIDs.indices
                where !inserted.isMerged(inserted.start(ofGroup: place) + row) {
                    try checkCount(property, plan, inserted.firstKeys[place] + Int64(row))
                }
            }
        }
        if changes.touched.isEmpty { return }
        for (object, properties) in changes.touched.sorted(by: { $0.key < $1.key }) {
            let plan = try writer.plan(object.entity)
            if objects.isDeleted(object) { continue }
            for index in properties.sorted() {
                guard let property = plan.properties[index], isBounded(property.relationship) else {
                    continue
                }
                if inserted.contains(object) { continue }
                try checkCount(property, plan, object.key)
            }
        }
    }

    private func isBounded(_ relationship: RelationshipDescription?) -> Bool {
        guard let relationship, relationship.isToMany else { return false }
        return !relationship.isOptional || relationship.minimumCount > 1 || relationship.maximumCount > 0
    }

    private mutating func checkCount(
        _ property: EntityPlan.Property, _ plan: EntityPlan, _ key: Int64
    ) throws(StoreError) {
        guard let relationship = property.relationship else { return }
        let sql: String
        switch property.stored {
        case .toMany(let table, let foreignKey, _, _, _):
            sql = "SELECT count(*) FROM \(table) WHERE \(foreignKey) = ?1"
        case .manyToMany(let table, let own, _, _, _): sql = "SELECT count(*) FROM \(table) WHERE \(own) = ?1"
        case .attribute, .toOne, .unsupported: return
        }
        let count = try translating { () throws(SQLiteError) in
            let query = try plan.statement(.count(property.index), on: connection) { sql }
            try query.bind(key, at: 1)
            guard try query.step() else { return 0 }
            defer { query.reset() }
            return Int(query.int64(0))
        }
        let name = "'\(plan.name).\(property.name)'"
        if count == 0, relationship.isOptional { return }
        let least = max(relationship.minimumCount, relationship.isOptional ? 0 : 1)
        if count < least {
            outcome.fail(
                inserted.reference(to: plan.object(key)), property: property.name, .tooFew,
                "\(name) has \(count) objects, and needs \(least)")
        } else if relationship.maximumCount > 0, count > relationship.maximumCount {
            outcome.fail(
                inserted.reference(to: plan.object(key)), property: property.name, .tooMany,
                "\(name) has \(count) objects, and takes \(relationship.maximumCount)")
        }
    }
}
