import Coffer
import CofferModel
import Synchronization
import Testing

@Suite struct `Permanent ids before a save` {
    private func note(_ context: ManagedObjectContext, _ title: String = "n") -> Note {
        let note = context.insert(Note.self)
        note.title = title
        return note
    }

    @Test func `the name of what is deleted before it is saved is forgotten, unless an undo can ask for it`()
        throws
    {
        let context = try World().context()
        let notes = (0..<3).map { note(context, "\($0)") }
        try context.obtainPermanentIDs(for: notes)
        #expect(!context.reserved.isEmpty)
        for note in notes { context.delete(note) }
        #expect(context.reserved.isEmpty)
        context.undoManager = ContextUndoManager()
        let last = note(context, "last")
        try context.obtainPermanentIDs(for: [last])
        let id = last.objectID
        context.processPendingChanges()
        context.delete(last)
        context.undo()
        #expect(last.objectID == id && !context.reserved.isEmpty)
        try context.save()
        #expect(last.objectID == id && context.reserved.isEmpty)
    }

    @Test func `an object keeps its values, its references and its id, and writes nothing`() throws {
        let world = try World()
        let context = world.context()
        let folder = context.insert(Folder.self)
        let (one, two) = (note(context, "one"), note(context, "two"))
        let tag = context.insert(Tag.self)
        one.folder = folder
        two.folder = folder
        two.tags.insert(tag)
        let temporary = one.objectID
        try context.obtainPermanentIDs(for: [one, folder, tag])
        let id = one.objectID
        #expect(!id.isTemporary && !folder.objectID.isTemporary && two.objectID.isTemporary)
        #expect(world.coordinator.state.withLock { $0.saves.isEmpty })
        #expect(one.isInserted && !one.isFault && !one.isUpdated && context.insertedObjects.count == 4)
        #expect(one.title == "one" && one.folder === folder && two.folder === folder)
        #expect(Set(folder.notes) == [one, two] && two.tags.array == [tag] && tag.notes.array == [two])
        #expect(context.registeredObject(for: id) === one && context.object(with: temporary) === one)
        #expect(try context.existingObject(with: id) === one)
        try context.obtainPermanentIDs(for: context.insertedObjects)
        #expect(one.objectID == id && !two.objectID.isTemporary)
        try context.save()
        #expect(one.objectID == id && !one.isInserted && !context.hasChanges)
        let other = world.context()
        let copy = try #require(try other.existingObject(with: id) as? Note)
        #expect(copy.title == "one" && copy.folder?.objectID == folder.objectID)
        #expect(Set(copy.folder?.notes.map(\.title) ?? []) == ["one", "two"])
        one.title = "changed"
        try context.save()
        other.mergePendingChanges()
        #expect(copy.title == "changed")
    }

    @Test func `some with ids and some without are saved together, each under its own`() throws {
        let world = try World()
        let context = world.context()
        let folder = context.insert(Folder.self)
        let notes = (0..<9).map { note(context, "\($0)") }
        for note in notes { note.folder = folder }
        try context.obtainPermanentIDs(for: [notes[7], notes[2], notes[3]])
        let stranger = world.context()
        _ = note(stranger)
        try stranger.save()
        try context.obtainPermanentIDs(for: [notes[4]])
        let ids = [7, 2, 3, 4].map { notes[$0].objectID }
        try context.save()
        #expect([7, 2, 3, 4].map { notes[$0].objectID } == ids)
        #expect(Set(notes.map(\.objectID)).count == 9)
        let other = world.context()
        for note in notes {
            let copy = try #require(try other.existingObject(with: note.objectID) as? Note)
            #expect(copy.title == note.title && copy.folder?.objectID == folder.objectID)
        }
    }

    @Test func `an id that another context knows already leads to the object once it is saved`() throws {
        let world = try World()
        let (context, other) = (world.context(), world.context())
        let mine = note(context)
        try context.obtainPermanentIDs(for: [mine])
        #expect(throws: CofferError.self) { try other.existingObject(with: mine.objectID) }
        let early = other.object(with: mine.objectID)
        #expect(early.isFault)
        try context.save()
        #expect((early as? Note)?.title == "n")
    }

    @Test func `what was taken back, deleted or reset is gone, and its id with it`() throws {
        let world = try World()
        let context = world.context()
        let folder = context.insert(Folder.self)
        try context.save()
        for undo in [
            { context.rollback() }, { context.reset() },
            { for object in context.insertedObjects { context.delete(object) } },
        ] {
            let mine = note(context)
            mine.folder = context.object(with: folder.objectID) as? Folder
            try context.obtainPermanentIDs(for: [mine])
            let id = mine.objectID
            undo()
            #expect(mine.context == nil && !mine.isInserted && context.registeredObject(for: id) == nil)
            #expect(throws: CofferError.self) { try context.existingObject(with: id) }
            try context.save()
            #expect(try context.count(for: Note.all) == 0)
        }
        // Gone objects, and those that are saved, get none.
        let gone = note(context)
        context.delete(gone)
        try context.obtainPermanentIDs(for: [gone, folder])
        #expect(gone.objectID.isTemporary)
    }

    @Test func `a reference to an object that was deleted before it was saved is sent as none`() throws {
        let world = try World()
        let context = world.context()
        let mine = note(context)
        let cover = context.insert(Picture.self)
        mine.cover = cover
        try context.obtainPermanentIDs(for: [mine, cover])
        context.delete(cover)
        #expect(mine.cover == nil)
        try context.save()
        let other = world.context()
        let copy = try #require(try other.existingObject(with: mine.objectID) as? Note)
        #expect(copy.title == "n" && copy.cover == nil)
    }

    @Test func `refreshing leaves an object that is nowhere else as it is`() throws {
        let world = try World()
        let context = world.context()
        let folder = context.insert(Folder.self)
        let mine = note(context)
        mine.folder = folder
        try context.obtainPermanentIDs(for: [mine, folder])
        context.refresh(mine, mergeChanges: false)
        context.refreshAllObjects()
        world.coordinator.tell(.reload(store: 1, number: 1))
        context.mergePendingChanges()
        #expect(
            mine.isInserted && mine.title == "n" && mine.folder === folder && folder.notes.array == [mine])
        try context.save()
        #expect(mine.title == "n" && folder.notes.array == [mine])
    }

    @Test func `undo and redo bring the object back under its id`() throws {
        let world = try World()
        let context = world.context()
        context.undoManager = ContextUndoManager()
        let mine = note(context)
        context.processPendingChanges()
        try context.obtainPermanentIDs(for: [mine])
        let id = mine.objectID
        context.undo()
        #expect(mine.isDeleted)
        context.redo()
        #expect(mine.isInserted && mine.objectID == id && mine.title == "n")
        context.delete(mine)
        context.undo()
        #expect(mine.isInserted && mine.objectID == id && mine.title == "n")
        try context.save()
        #expect(mine.objectID == id)
        context.delete(mine)
        try context.save()
        context.undo()
        #expect(
            mine.isInserted && mine.objectID.isTemporary, "what was saved and deleted comes back as another")
    }

    @Test func `what is fetched is in the order of insertion, ids or not`() throws {
        let context = try World().context()
        let notes = (0..<6).map { note(context, "\($0)") }
        try context.obtainPermanentIDs(for: [notes[4], notes[1]])
        #expect(try context.fetch(Note.all).map(\.title) == ["0", "1", "2", "3", "4", "5"])
        let lazy = try context.fetchLazily(Note.all)
        try context.save()
        #expect(lazy.map(\.title) == ["0", "1", "2", "3", "4", "5"])
    }

    @Test func `results that are followed keep their rows`() throws {
        let context = try World().context()
        let notes = ["b", "a"].map { note(context, $0) }
        let results = try FetchedResultsController(Note.all.sorted(by: "title"), in: context)
        try results.performFetch()
        var events: [FetchedResultsEvent] = []
        results.onEvent = { events.append($0) }
        try context.obtainPermanentIDs(for: notes)
        #expect(results.fetchedObjects.map(\.title) == ["a", "b"])
        #expect(results.fetchedObjects.objectID(at: 0) == notes[1].objectID)
        #expect(results.indexPath(for: notes[0].objectID)?.item == 1)
        try context.save()
        #expect(results.fetchedObjects.map(\.title) == ["a", "b"])
        for event in events {
            switch event {
            case .inserted, .deleted: Issue.record("\(event)")
            default: break
            }
        }
    }

    @Test func `objects of several stores get ids of theirs, and stay there`() throws {
        let world = try World(stores: ["one", "two"])
        let context = world.context()
        let (first, second) = (note(context), note(context))
        try context.assign(second, toStoreNamed: "two")
        try context.obtainPermanentIDs(for: [first, second])
        let stores = world.coordinator.stores
        #expect(first.objectID.storeUUID == stores[0].uuid && second.objectID.storeUUID == stores[1].uuid)
        #expect(first.objectID.primaryKey == 1 && second.objectID.primaryKey == 1)
        #expect(first.objectID != second.objectID)
        try context.assign(second, toStoreNamed: "two")
        #expect(throws: CofferError.self) { try context.assign(second, toStoreNamed: "one") }
        try context.save()
        #expect(try world.context().existingObject(with: second.objectID)["title"] == .string("n"))
    }

    @Test func `where the service cannot be asked no id changes`() throws {
        let world = try World()
        let context = world.context()
        let mine = note(context)
        let temporary = mine.objectID
        world.coordinator.state.withLock { $0.failure = .unavailable("gone") }
        #expect(throws: CofferError.self) { try context.obtainPermanentIDs(for: [mine]) }
        #expect(mine.objectID == temporary && mine.isInserted)
        try context.obtainPermanentIDs(for: [Note]())
    }
}

@Suite struct `Permanent ids in trees of contexts` {
    private func note(_ context: ManagedObjectContext, _ title: String = "n") -> Note {
        let note = context.insert(Note.self)
        note.title = title
        return note
    }

    @Test func `a context far below asks the root, and all levels follow`() throws {
        let world = try World()
        let root = world.context()
        let middle = root.newChild()
        let leaf = middle.newChild()
        let folder = leaf.insert(Folder.self)
        try leaf.save()
        let above = try #require(middle.registeredObject(for: folder.objectID) as? Folder)
        let mine = note(leaf)
        mine.folder = folder
        let temporary = mine.objectID
        try leaf.obtainPermanentIDs(for: [mine, folder])
        let (id, folderID) = (mine.objectID, folder.objectID)
        #expect(!id.isTemporary && !folderID.isTemporary)
        #expect(above.objectID == folderID && above.isInserted && mine.isInserted)
        #expect(mine.folder === folder && folder.notes.array == [mine])
        #expect(leaf.object(with: temporary) === mine && leaf.registeredObject(for: id) === mine)
        #expect(!root.hasChanges && world.coordinator.state.withLock { $0.saves.isEmpty })
        try leaf.save()
        try middle.save()
        #expect(try root.existingObject(with: id).isInserted)
        try root.save()
        #expect(mine.objectID == id && folder.objectID == folderID)
        #expect(mine.folder === folder && mine.title == "n")
        let other = world.context()
        let copy = try #require(try other.existingObject(with: id) as? Note)
        #expect(copy.folder?.objectID == folderID)
    }

    @Test func `an id that a context above was asked about before is that object once it comes there`() throws
    {
        let root = try World().context()
        let child = root.newChild()
        let mine = note(child)
        try child.obtainPermanentIDs(for: [mine])
        let early = try #require(root.object(with: mine.objectID) as? Note)
        #expect(early.isFault)
        try child.save()
        #expect(root.registeredObject(for: mine.objectID) === early)
        #expect(early.isInserted && early.title == "n")
        try root.save()
        #expect(!early.isInserted && early.title == "n" && mine.title == "n")
    }

    @Test func `the root gives ids, and children that have the objects follow`() throws {
        let root = try World().context()
        let mine = note(root)
        let folder = root.insert(Folder.self)
        let (one, two) = (root.newChild(), root.newChild())
        let below = try #require(try one.existingObject(with: mine.objectID) as? Note)
        let shelf = try #require(try one.existingObject(with: folder.objectID) as? Folder)
        below.folder = shelf
        let sibling = try #require(try two.existingObject(with: mine.objectID) as? Note)
        try root.obtainPermanentIDs(for: [mine, folder])
        for object in [below, sibling] { #expect(object.objectID == mine.objectID && object.title == "n") }
        #expect(below.folder === shelf && shelf.notes.array == [below])
        one.refresh(below, mergeChanges: true)
        #expect(below.title == "n" && below.folder === shelf)
        try one.save()
        #expect(mine.folder === folder)
        root.rollback()
        for context in [one, two] { context.mergePendingChanges() }
        #expect(below.isDeleted && sibling.isDeleted)
    }

    @Test func `children with threads of their own follow when they come to it`()
        async throws
    {
        let world = try World()
        let parent = try BackgroundContext(coordinator: world.coordinator, name: "parent")
        let child = try await parent.perform { context in
            context.register(Note.self)
            return try context.newBackgroundChild(name: "child")
        }
        let (id, temporary) = try await child.perform { context in
            let mine = context.insert(Note.self)
            mine.title = "below"
            let temporary = mine.objectID
            try context.obtainPermanentIDs(for: [mine])
            return (mine.objectID, temporary)
        }
        #expect(!id.isTemporary)
        try await child.perform { context in
            #expect(context.registeredObject(for: id)?.isInserted ?? false)
            #expect(context.object(with: temporary).objectID == id)
            try context.save()
        }
        try await parent.perform { context in
            #expect(context.insertedObjects.map(\.objectID) == [id])
            try context.save()
        }
        #expect(try await child.perform { try $0.existingObject(with: id)["title"] } == .string("below"))
        #expect(try world.context().existingObject(with: id)["title"] == .string("below"))
    }
}
