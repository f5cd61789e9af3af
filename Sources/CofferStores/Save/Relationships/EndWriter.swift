internal import CofferModel
internal import CofferSQLite
internal import CofferWire

/// Writes to-one relationships of stored objects that the request does not update: other ends of pairs, and
/// ends that delete rules clear.
struct EndWriter: SavePass {
    let state: SaveState

    /// Clears the end of a relationship that `other` has.
    ///
    /// If the end must have an object, a failure is added to the outcome; `isRule` says for its text whether
    /// a delete rule clears the end.
    func nullify(_ other: LeafKey, _ inverse: EntityPlan.Inverse, isRule: Bool) throws(StoreError) {
        let plan = try writer.plan(other.entity)
        guard let property = plan.end(inverse),
            case .toOne(let column, let entityColumn, _) = property.stored
        else { return }
        if inverse.isRequired {
            let what = isRule ? "the delete" : "the save"
            outcome.fail(
                inserted.reference(to: other), property: property.name, reason: .required,
                "'\(plan.name).\(property.name)' must have a value, and \(what) would take it")
        }
        try write(property, of: plan, in: other) { () throws(SQLiteError) in
            let statement = try plan.statement(.nullify(property.index), on: writer.connection) {
                let columns = [column, entityColumn, property.orderColumn].compactMap(\.self)
                return "UPDATE \(plan.entity.table) SET " + columns.map { $0 + " = NULL, " }.joined()
                    + "Z_OPT = Z_OPT + 1 WHERE Z_PK = ?1 RETURNING Z_OPT"
            }
            try statement.bind(other.key, at: 1)
            return statement
        }
    }

    /// Makes `other` the object at `object`'s end of a relationship.
    func set(
        _ property: EntityPlan.Property, of plan: EntityPlan, _ object: LeafKey, to other: LeafKey
    ) throws(StoreError) {
        guard case .toOne(let column, let entityColumn, _) = property.stored else { return }
        try write(property, of: plan, in: object) { () throws(SQLiteError) in
            let statement = try plan.statement(.setEnd(property.index), on: writer.connection) {
                "UPDATE \(plan.entity.table) SET \(column) = ?2, "
                    + (entityColumn.map { "\($0) = ?3, " } ?? "")
                    + "Z_OPT = Z_OPT + 1 WHERE Z_PK = ?1 RETURNING Z_OPT"
            }
            try statement.bind(object.key, at: 1)
            try statement.bind(other.key, at: 2)
            if entityColumn != nil { try statement.bind(Int64(plan.numbers[other.entity]), at: 3) }
            return statement
        }
    }

    /// Writes a row by a bound statement that returns its new version.
    private func write(
        _ property: EntityPlan.Property, of plan: EntityPlan, in object: LeafKey,
        _ statement: () throws(SQLiteError) -> SQLiteStatement
    ) throws(StoreError) {
        let version = try translating { () throws(SQLiteError) -> UInt32? in
            let statement = try statement()
            defer { statement.reset() }
            guard try statement.step() else { return nil }
            let next = try writer.version(statement)
            _ = try statement.step()
            return next
        }
        guard let version else { return }
        changes.addEnd(property, of: plan, object.key, version: version)
    }
}
