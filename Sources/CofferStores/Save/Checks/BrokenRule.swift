internal import CofferModel
internal import CofferSQLite
package import CofferWire

/// A rule of the model that a stored object breaks.
///
/// Saves leave none; merges, other programs and other versions of the model may.
package struct BrokenRule: Sendable, Hashable {
    /// The leaf entity of the object, by its index in the model.
    package let entity: Int
    /// The object.
    package let primaryKey: Int64
    /// What is wrong of it: an attribute or a relationship.
    package let property: String
    /// How it is wrong.
    package let reason: ValidationReason
    /// The same, for people.
    package let text: String
}

extension StoreWriter {
    private static let rowsAtOnce = 500

    /// Looks at all objects of the leaf entity at a place in the model: at required values, bounds,
    /// expressions and numbers of members.
    ///
    /// A value whose file is missing counts as null.
    package func brokenRules(
        ofEntityAt index: Int, _ found: (BrokenRule) -> Void
    ) throws(StoreError) {
        let keys = try keys(ofEntityAt: index)
        if keys.isEmpty { return }
        let plan = try plan(index)
        let judged = plan.properties.compactMap(\.self).filter { property in
            property.hasRule || plan.required.contains(property.index)
        }
        for start in stride(from: 0, to: judged.isEmpty ? 0 : keys.count, by: Self.rowsAtOnce) {
            let some = keys[start..<min(start + Self.rowsAtOnce, keys.count)]
            try brokenValues(judged.map(\.index), of: plan, at: some, found)
        }
        for relationship in plan.properties.compactMap(\.self).compactMap({ BoundedCount($0, of: plan) }) {
            for key in keys {
                let count = try translating { () throws(SQLiteError) in
                    try relationship.count(of: key, byWriterOn: connection)
                }
                let excess = relationship.excess(count)
                if excess == 0 { continue }
                found(
                    BrokenRule(
                        entity: index, primaryKey: key, property: relationship.property.name,
                        reason: excess < 0 ? .tooFew : .tooMany, text: relationship.text(count)))
            }
        }
    }

    private func brokenValues(
        _ properties: [Int], of plan: EntityPlan, at keys: ArraySlice<Int64>,
        _ found: (BrokenRule) -> Void
    ) throws(StoreError) {
        let rows = try translating { () throws(SQLiteError) in
            var reader = try StoredRow(plan, properties: properties, on: connection)
            for key in keys { _ = try reader.append(key) }
            return reader.rows()
        }
        let faults = try validation.faults(
            in: rows.columns, rows: rows.rowCount, of: plan, isComplete: false)
        for fault in faults {
            found(
                BrokenRule(
                    entity: plan.index, primaryKey: rows.primaryKeys[fault.row], property: fault.property,
                    reason: fault.reason, text: fault.text))
        }
    }
}
