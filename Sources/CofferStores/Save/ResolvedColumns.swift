internal import CofferWire

/// Columns of a save's inserts and updates, by group, in which references to inserted objects have become
/// keys.
struct ResolvedColumns {
    var inserts: [[Column]]
    var updates: [[Column]]

    /// The columns of a request.
    ///
    /// - Throws: `malformedRequest` if a reference names an insert that does not exist.
    init(_ save: SaveRequestMessage, _ inserted: InsertedObjects) throws(StoreError) {
        inserts = try Self.resolved(save.inserts.map { $0.columns }, inserted)
        updates = try Self.resolved(save.updates.map { $0.columns }, inserted)
    }

    private static func resolved(
        _ groups: [[Column]], _ inserted: InsertedObjects
    ) throws(StoreError) -> [[Column]] {
        var resolved = groups
        for group in groups.indices {
            for (place, column) in groups[group].enumerated() where column.namesInserted {
                resolved[group][place] = try column.resolved { reference throws(StoreError) in
                    try inserted.object(namedBy: reference).key
                }
            }
        }
        return resolved
    }
}
