import Coffer
import CofferModel
import Synchronization
import Testing

/// Does something when it was saved.
private final class Stamped: Note {
    var onDidSave: (() -> Void)?

    override func didSave() { onDidSave?() }
}

/// What an application changes when it is told of a save is not part of that save.
@Suite struct `Changes made after a save` {
    private func context(_ world: World) -> ManagedObjectContext {
        let context = world.context()
        context.register(Stamped.self, forEntity: "Note")
        context.automaticallyMergesChanges = false
        return context
    }

    private func note(_ context: ManagedObjectContext, _ title: String) throws -> Stamped {
        let note = try #require(try context.insert(entityNamed: "Note") as? Stamped)
        note.title = title
        return note
    }

    @Test func `what didSave changes is saved by the next save`() throws {
        let world = try World()
        let context = context(world)
        let folder = context.insert(Folder.self)
        let note = try note(context, "n")
        try context.save()
        note.onDidSave = {
            note.onDidSave = nil
            folder.name = "stamped"
            note.body = "stamped"
        }
        note.rating = 4
        try context.save()
        #expect(context.updatedObjects == [folder, note])
        try context.save()
        #expect(!context.hasChanges)
        #expect(try world.context().fetch(FetchRequest<Folder>()).map(\.name) == ["stamped"])
        #expect(try world.context().fetch(Note.all).map(\.body) == ["stamped"])
    }

    @Test func `what a handler changes is saved by the next save`() throws {
        let world = try World()
        let context = context(world)
        let folder = context.insert(Folder.self)
        let note = try note(context, "n")
        try context.save()
        var saves = 0
        let token = context.onNotification { notification in
            guard case .didSave = notification else { return }
            saves += 1
            #expect(!context.hasChanges)
            if saves == 1 { folder.name = "stamped" }
        }
        note.rating = 4
        try context.save()
        #expect(context.updatedObjects == [folder])
        try context.save()
        #expect(saves == 2 && !context.hasChanges)
        #expect(try world.context().fetch(FetchRequest<Folder>()).map(\.name) == ["stamped"])
        withExtendedLifetime(token) {}
    }

    @Test func `what no request carries is settled all the same`() throws {
        let world = try World()
        let context = context(world)
        let note = try note(context, "n")
        try context.save()
        note.scratch = "50"
        try context.save()
        #expect(!context.hasChanges && note.scratch == "50")
        #expect(world.coordinator.state.withLock { $0.saves.count } == 1)
    }

    /// A note in each of two stores, the first of which changes the second when it was saved.
    private func withTwoStores(
        _ body: (World, ManagedObjectContext, Stamped, Stamped) throws -> Void
    ) throws {
        let world = try World(stores: ["first", "second"])
        let context = context(world)
        let (one, two) = (try note(context, "one"), try note(context, "two"))
        try context.assign(two, toStoreNamed: "second")
        try context.save()
        one.onDidSave = {
            one.onDidSave = nil
            one.log = ["didSave"]
            two.body = "stamped"
        }
        (one.rating, two.rating) = (4, 4)
        try body(world, context, one, two)
    }

    @Test func `a change of an object of a later store is not lost with that store's part`() throws {
        try withTwoStores { world, context, one, two in
            try context.save()
            #expect(context.updatedObjects == [two])
            try context.save()
            #expect(try world.context().fetch(Note.all.sorted(by: \.title)).map(\.body) == [nil, "stamped"])
        }
    }

    @Test func `where a later store refuses, the objects that an earlier one took are told`() throws {
        try withTwoStores { world, context, one, two in
            let other = world.context()
            let same = try #require(try other.existingObject(with: two.objectID) as? Note)
            same.rating = 5
            try other.save()
            #expect(throws: CofferError.self) { try context.save() }
            #expect(one.log == ["didSave"])
            one.log = []
            #expect(context.updatedObjects == [two] && two.body == "stamped" && two.rating == 4)
            context.mergePolicy = .mergeByPropertyObjectTrump
            try context.save()
            #expect(!one.log.contains("didSave") && !context.hasChanges)
            let stored = try world.context().fetch(Note.all.sorted(by: \.title))
            #expect(stored.map(\.body) == [nil, "stamped"] && stored.map(\.rating) == [4, 4])
        }
    }
}
