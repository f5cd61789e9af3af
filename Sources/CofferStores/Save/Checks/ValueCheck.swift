internal import CofferWire

/// Checks a request's values against the model's rules.
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
        let faults =
            writer.file.isUnderConstruction
            ? writer.validation.impossibleValues(in: columns, rows: rows, of: plan)
            : try writer.validation.faults(in: columns, rows: rows, of: plan, isComplete: isComplete)
        for fault in faults {
            outcome.fail(
                inserted.reference(to: plan.object(key(fault.row))), property: fault.property,
                reason: fault.reason, fault.text)
        }
    }
}
