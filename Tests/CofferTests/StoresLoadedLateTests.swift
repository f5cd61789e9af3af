import Coffer
import CofferModel
import Testing

/// A store is loaded when there are contexts already.
@Suite struct `Stores that are loaded late` {
    /// A world with a note in a store that `contexts` were made before, and that none of them has heard of.
    private func world(
        _ contexts: (World) -> [ManagedObjectContext]
    ) throws -> (contexts: [ManagedObjectContext], id: ManagedObjectID) {
        let world = try World(stores: ["first"])
        let all = contexts(world)
        for context in all { context.automaticallyMergesChanges = false }
        try world.coordinator.addStore("second")
        let writer = world.context("writer")
        let note = writer.insert(Note.self)
        note.title = "late"
        try writer.assign(note, toStoreNamed: "second")
        try writer.save()
        return (all, note.objectID)
    }

    @Test func `a context fetches from stores that were loaded after it was made`() throws {
        let (contexts, id) = try world { [$0.context()] }
        #expect(try contexts[0].count(for: Note.all) == 1)
        #expect(try contexts[0].fetch(Note.all).map(\.objectID) == [id])
    }

    @Test func `a child fetches from stores that were loaded after it was made`() throws {
        let (contexts, id) = try world { world in
            let root = world.context()
            return [root, root.newChild()]
        }
        #expect(try contexts[1].fetch(Note.all).map(\.objectID) == [id])
    }

    @Test func `a child finds an object of a late store by id, before its parent heard of the store`() throws
    {
        let (contexts, id) = try world { world in
            let root = world.context()
            return [root, root.newChild()]
        }
        let note = try #require(try contexts[1].existingObject(with: id) as? Note)
        #expect(note.title == "late" && note.tags.isEmpty)
        note.title = "changed"
        try contexts[1].save()
        try contexts[0].save()
        #expect(!contexts[0].hasChanges && note.title == "changed")
    }

    @Test func `a child hears of what its parent saves into stores that were loaded late`() throws {
        let (contexts, id) = try world { world in
            let root = world.context()
            return [root, root.newChild()]
        }
        let note = try #require(try contexts[0].existingObject(with: id) as? Note)
        note.title = "changed"
        try contexts[0].save()
        contexts[1].mergePendingChanges()
        #expect(try contexts[1].fetch(Note.all).map(\.title) == ["changed"])
    }
}
