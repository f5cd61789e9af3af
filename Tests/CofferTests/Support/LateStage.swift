import Coffer
import CofferModel
import Testing

/// Does something when it turns into a fault.
final class Leaving: Note {
    var onFault: (() -> Void)?

    override func didTurnIntoFault() {
        onFault?()
        onFault = nil
    }
}

/// A context with changes in two stores, in which something is done when the first store is through.
final class LateStage {
    let world: World
    let context: ManagedObjectContext
    /// Is deleted from the first store when the stage is set; does something when that store is through.
    let leaving: Leaving
    /// Is in the second store, and has changes.
    let note: Leaving
    let tags: [Tag]
    private var readers: [ManagedObjectContext] = []

    init() throws {
        world = try World(stores: ["first", "second"])
        context = world.context()
        context.register(Leaving.self, forEntity: "Note")
        context.automaticallyMergesChanges = false
        leaving = try Self.make(context, "leaving", "first")
        note = try Self.make(context, "note", "second")
        tags = ["a", "b"].map { [context] name in
            let tag = context.insert(Tag.self)
            tag.name = name
            return tag
        }
        for tag in tags { try context.assign(tag, toStoreNamed: "second") }
        try context.save()
        context.delete(leaving)
        note.rating = 4
    }

    static func make(
        _ context: ManagedObjectContext, _ title: String, _ store: String
    ) throws -> Leaving {
        let note = try #require(try context.insert(entityNamed: "Note") as? Leaving)
        note.title = title
        try context.assign(note, toStoreNamed: store)
        return note
    }

    /// Saves, and does something meanwhile.
    func save(_ meanwhile: @escaping () -> Void) throws {
        leaving.onFault = meanwhile
        try context.save()
        #expect(leaving.isDeleted && leaving.onFault == nil)
    }

    /// The notes as another context reads them.
    func stored() throws -> [Note] {
        let reader = world.context()
        readers.append(reader)
        return try reader.fetch(Note.all.sorted(by: \.title))
    }
}
