internal import Coffer
internal import CofferEmbedded
internal import CofferMerge

/// An object that was deleted, in a context that has not heard of it: it comes back when that one saves.
struct DeletedObject {
    /// What it is called when it comes back.
    let name: RecordID
    /// As it is to be: as it was, less its name, since only what is edited comes back.
    let object: SeenObject
    let context: ManagedObjectContext
    /// The object in the context, where it was before it was deleted.
    private(set) var held: ManagedObject?

    init(_ object: SeenObject, number: UInt64, at peer: String, _ coordinator: EmbeddedCoordinator) {
        var renamed = object
        // Another than it may have from coming back before, also elsewhere: else nothing is edited.
        renamed.values["name"] = .string("back \(number) at \(peer)")
        renamed.largeValues["name"] = nil
        self.object = renamed
        name = RecordID(high: 0, low: 1_000_000 + number)
        context = ManagedObjectContext(coordinator: coordinator)
        context.automaticallyMergesChanges = false
        context.mergePolicy = .overwrite
    }

    /// Reads the object, which is there yet.
    mutating func hold(_ edit: StoredEdit) throws {
        let held = try edit.object(object.id, in: context)
        for property in object.values.keys { _ = held[edit.key(property, of: held)] }
        self.held = held
    }
}

extension Save {
    /// What it inserts.
    var inserted: RecordID? {
        for case .insert(let name, _) in changes { return name }
        return nil
    }
}
