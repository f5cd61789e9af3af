internal import CofferWire

/// A group of updates, of the request or of a batch operation, with its columns resolved.
struct RequestedUpdates {
    let request: UpdateGroup
    /// The columns to write, in which references to inserted objects have become keys.
    let columns: [Column]
    let plan: EntityPlan

    /// What the client had read of the objects, beyond the properties that it changed.
    var otherColumns: [Column] {
        let written = Set(columns.map(\.property))
        return request.otherColumns.filter { !written.contains($0.property) }
    }

    /// Whether the value of a property that the client had read is still in the stored row.
    func knows(_ property: Int, row: Int, as stored: RowBatch) -> Bool {
        guard let old = request.oldColumns.first(where: { $0.property == property }),
            let now = stored.columns.first(where: { $0.property == property })
        else { return false }
        return old.hasSameValue(row, as: now, 0)
    }
}
