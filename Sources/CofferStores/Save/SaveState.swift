internal import CofferModel
internal import CofferWire

/// The state that all passes of one save share.
final class SaveState {
    let writer: StoreWriter
    /// Which side wins if another client has changed an object.
    let mergeRule: MergeRule
    let inserted: InsertedObjects
    let objects: SavedObjects
    let outcome = SaveOutcome()
    let changes: WrittenChanges

    /// The state of a save that has written nothing yet; its request has been checked, and its new objects
    /// have keys.
    init(
        of save: SaveRequestMessage, _ inserted: InsertedObjects, protected: [RowKey: Set<Int>],
        writer: StoreWriter
    ) {
        self.writer = writer
        mergeRule = save.mergePolicy.rule
        self.inserted = inserted
        objects = SavedObjects(save, inserted, protected: protected, writer: writer)
        changes = WrittenChanges(writer)
    }
}

/// One part of a save, which may have state of its own beside the shared one.
protocol SavePass: ~Copyable {
    /// The state that it shares with the others.
    var state: SaveState { get }
}

extension SavePass where Self: ~Copyable {
    var writer: StoreWriter { state.writer }
    var mergeRule: MergeRule { state.mergeRule }
    var inserted: InsertedObjects { state.inserted }
    var objects: SavedObjects { state.objects }
    var outcome: SaveOutcome { state.outcome }
    var changes: WrittenChanges { state.changes }
}
