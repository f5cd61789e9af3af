internal import CofferModel
internal import CofferSQLite
internal import CofferWire

/// Checks a request's values against the model's rules.
///
/// In a store that was shared, a value that a merge left wrong is refused only if it became worse.
struct ValueCheck: SavePass {
    let state: SaveState

    /// Adds to the outcome what is wrong with the values of inserts and updates.
    func check(_ save: SaveRequestMessage) throws(StoreError) {
        for (place, group) in save.inserts.enumerated() {
            let plan = try writer.plan(group.entity)
            let firstKey = inserted.firstKeys[place]
            try check(group.columns, rows: group.temporaryIDs.count, of: plan, isComplete: true) {
                firstKey + Int64($0)
            }
        }
        for group in save.updates {
            try check(group.columns, group.primaryKeys, of: try writer.plan(group.entity))
        }
    }

    /// Adds to the outcome what is wrong with the values of updates of `keys`.
    func check(_ columns: [Column], _ keys: [Int64], of plan: EntityPlan) throws(StoreError) {
        try check(columns, rows: keys.count, of: plan, isComplete: false) { keys[$0] }
    }

    private func check(
        _ columns: [Column], rows: Int, of plan: EntityPlan, isComplete: Bool, key: (Int) -> Int64
    ) throws(StoreError) {
        let mayBeBroken = isComplete ? false : try mayBeBroken
        let faults =
            writer.file.isUnderConstruction
            ? writer.validation.impossibleValues(in: columns, rows: rows, of: plan)
            : try writer.validation.faults(in: columns, rows: rows, of: plan, isComplete: isComplete)
        for fault in faults {
            if mayBeBroken, try isNoWorse(fault, of: key(fault.row), plan) { continue }
            outcome.fail(
                inserted.reference(to: plan.object(key(fault.row))), property: fault.property,
                reason: fault.reason, fault.text)
        }
    }

    /// Whether the row of an object has had a value that was wrong in the same way, and not less.
    private func isNoWorse(
        _ fault: ValueValidation.Fault, of key: Int64, _ plan: EntityPlan
    ) throws(StoreError) -> Bool {
        guard fault.reason != .outOfRange,
            let property = plan.properties.compactMap(\.self).first(where: { $0.name == fault.property })
        else { return false }
        let stored: RowBatch
        do throws(SQLiteError) {
            // A value whose file is missing is not null.
            var reader = try StoredRow(
                plan, properties: [property.index], needsFiles: true, on: writer.connection)
            guard try reader.append(key) else { return false }
            stored = reader.rows()
        } catch .corrupt {
            return false
        } catch {
            throw StoreError(error)
        }
        let former = try writer.validation.faults(in: stored.columns, rows: 1, of: plan, isComplete: false)
        return former.contains { $0.property == fault.property && fault.isNoWorse(than: $0) }
    }
}

extension SavePass {
    /// Whether a merge may have left what breaks a rule: only in a store that was ever shared.
    var mayBeBroken: Bool {
        get throws(StoreError) {
            try translating { () throws(SQLiteError) in
                try writer.connection.hasTable("COFFER_PEER")
            }
        }
    }
}
