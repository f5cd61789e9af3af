internal import CofferModel
internal import CofferSQLite
internal import CofferWire

/// Looks whether what a save has written is there at its end.
///
/// A trigger that another program put into the file may delete a row as soon as it is written. The client,
/// the history and the other clients would all be told of an object that is not there.
struct TakenBackCheck: SavePass {
    let state: SaveState

    /// Looks for each object that was written, or got a new version, and was not deleted.
    ///
    /// In a file without unknown triggers it looks for nothing.
    ///
    /// - Throws: `takenBack` with the first object that is gone.
    /// - Complexity: A row read for each object that was written.
    func check() throws(StoreError) {
        guard writer.file.hasForeignTriggers else { return }
        var deleted: Set<LeafKey> = []
        for group in changes.groups.map(\.change) where group.kind == .delete {
            for key in group.primaryKeys { deleted.insert(LeafKey(entity: group.entity, key: key)) }
        }
        var written = Set(changes.touched.keys)
        for group in changes.groups.map(\.change) where group.kind != .delete {
            for key in group.primaryKeys { written.insert(LeafKey(entity: group.entity, key: key)) }
        }
        for object in written.subtracting(deleted).sorted() {
            let plan = try writer.plan(object.entity)
            if try writer.storedVersion(plan, object.key) != nil { continue }
            throw .takenBack(path: writer.file.path, entity: plan.name, key: object.key)
        }
    }
}
