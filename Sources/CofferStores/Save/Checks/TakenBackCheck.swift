internal import CofferModel
internal import CofferSQLite
internal import CofferWire

/// Looks whether what a save has written is there at its end.
///
/// A trigger that another program put into the file may delete a row as soon as it is written. The client,
/// the history and the other clients would all be told of an object that is not there.
struct TakenBackCheck: SavePass {
    let state: SaveState

    /// Looks for each object that was written and not deleted; nothing in a file without unknown triggers.
    ///
    /// - Throws: `takenBack` with the first object that is gone.
    /// - Complexity: A row read for each object that was written.
    func check() throws(StoreError) {
        guard writer.file.hasForeignTriggers else { return }
        var deleted: Set<LeafKey> = []
        for group in changes.groups.map(\.change) where group.kind == .delete {
            for key in group.primaryKeys { deleted.insert(LeafKey(entity: group.entity, key: key)) }
        }
        for group in changes.groups.map(\.change) where group.kind != .delete {
            let plan = try writer.plan(group.entity)
            for key in group.primaryKeys where !deleted.contains(plan.object(key)) {
                if try writer.storedVersion(plan, key) != nil { continue }
                throw .takenBack(path: writer.file.path, entity: plan.name, key: key)
            }
        }
    }
}
