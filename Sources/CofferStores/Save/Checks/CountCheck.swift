internal import CofferModel
internal import CofferSQLite
internal import CofferWire

/// Counts the objects in to-many relationships that changed, where the model bounds them.
struct CountCheck: SavePass {
    let state: SaveState

    /// Adds relationships with too few or too many objects to the outcome.
    func check() throws(StoreError) {
        for (place, group) in inserted.groups.enumerated() {
            let plan = try writer.plan(group.entity)
            let bounded = plan.properties.compactMap(\.self).filter { isBounded($0.relationship) }
            for property in bounded {
                for row in group.temporaryIDs.indices
                where !inserted.isMerged(inserted.start(ofGroup: place) + row) {
                    try check(property, of: plan, key: inserted.firstKeys[place] + Int64(row))
                }
            }
        }
        if changes.touched.isEmpty { return }
        for (object, properties) in changes.touched.sorted(by: { $0.key < $1.key })
        where !objects.isNewOrGone(object) {
            let plan = try writer.plan(object.entity)
            for index in properties.sorted() {
                guard let property = plan.properties[index], isBounded(property.relationship) else {
                    continue
                }
                try check(property, of: plan, key: object.key)
            }
        }
    }

    private func isBounded(_ relationship: RelationshipDescription?) -> Bool {
        guard let relationship, relationship.isToMany else { return false }
        return !relationship.isOptional || relationship.minimumCount > 1 || relationship.maximumCount > 0
    }

    private func check(_ property: EntityPlan.Property, of plan: EntityPlan, key: Int64) throws(StoreError) {
        guard let relationship = property.relationship, let count = try count(property, of: plan, key: key)
        else {
            return
        }
        let name = "'\(plan.name).\(property.name)'"
        if count == 0, relationship.isOptional { return }
        let least = max(relationship.minimumCount, relationship.isOptional ? 0 : 1)
        let object = inserted.reference(to: plan.object(key))
        if count < least {
            outcome.fail(
                object, property: property.name, reason: .tooFew,
                "\(name) has \(count) objects, and needs \(least)")
        } else if relationship.maximumCount > 0, count > relationship.maximumCount {
            outcome.fail(
                object, property: property.name, reason: .tooMany,
                "\(name) has \(count) objects, and takes \(relationship.maximumCount)")
        }
    }

    /// How many objects a relationship has; `nil` where it is not stored as a to-many relationship.
    private func count(_ property: EntityPlan.Property, of plan: EntityPlan, key: Int64) throws(StoreError)
        -> Int?
    {
        let sql: String
        switch property.stored {
        case .toMany(let table, let foreignKey, _, _, _):
            sql = "SELECT count(*) FROM \(table) WHERE \(foreignKey) = ?1"
        case .manyToMany(let table, let own, _, _, _): sql = "SELECT count(*) FROM \(table) WHERE \(own) = ?1"
        case .attribute, .toOne, .unsupported: return nil
        }
        return try translating { () throws(SQLiteError) in
            let query = try plan.statement(.count(property.index), on: writer.connection) { sql }
            try query.bind(key, at: 1)
            guard try query.step() else { return 0 }
            defer { query.reset() }
            return Int(query.int64(0))
        }
    }
}
