import Coffer
import CofferModel
import FoundationEssentials
import TestSupport
import Testing

@Suite struct `Undo` {
    private func undoing() throws -> ManagedObjectContext {
        let context = try World().context()
        context.undoManager = ContextUndoManager()
        return context
    }

    private func saved(_ context: ManagedObjectContext, _ title: String) throws -> Note {
        let note = context.insert(Note.self)
        note.title = title
        try context.save()
        context.undoManager?.removeAllActions()
        return note
    }

    /// Deletes and saves the note in another context, and merges that.
    private func deleteElsewhere(_ note: Note, _ world: World) throws {
        let other = world.context()
        other.delete(other.object(with: note.objectID))
        try other.save()
        note.context?.mergePendingChanges()
    }

    @Test func `without an undo manager nothing is undone, and rollback works`() throws {
        let context = try World().context()
        context.insert(Note.self).title = "a"
        context.undo()
        #expect(context.insertedObjects.count == 1)
        context.rollback()
        #expect(!context.hasChanges)
    }

    @Test func `an insertion is undone and done again`() throws {
        let context = try undoing()
        let note = context.insert(Note.self)
        note.title = "a"
        note.cover = context.insert(Picture.self)
        context.undo()
        #expect(context.insertedObjects.isEmpty)
        #expect(note.isDeleted)
        context.redo()
        #expect(context.insertedObjects.count == 2)
        #expect(note.title == "a")
        #expect(note.rating == 3)
        #expect(note.cover?.note === note)
        try context.save()
        context.undo()
        #expect(context.deletedObjects.count == 2)
        try context.save()
        #expect(try context.count(for: Note.all) == 0)
    }

    @Test func `rollback forgets what could be undone`() throws {
        let context = try undoing()
        context.insert(Note.self).title = "a"
        context.rollback()
        context.undo()
        context.redo()
        #expect(!context.hasChanges)
        #expect(context.undoManager?.canUndo == false)
    }

    @Test func `values are steps of their own, and outlive a save`() throws {
        let context = try undoing()
        let note = try saved(context, "a")
        note.title = "b"
        context.processPendingChanges()
        note.title = "c"
        #expect(note.changedValuesForCurrentEvent == ["title": .string("c")])
        try context.save()
        context.undo()
        #expect(note.title == "b")
        #expect(note.isUpdated)
        context.undo()
        #expect(note.title == "a")
        #expect(context.undoManager?.canUndo == false)
        #expect(context.undoManager?.canRedo == true)
        context.redo()
        context.redo()
        #expect(context.undoManager?.canRedo == false)
        #expect(note.title == "c")
        #expect(!note.isUpdated)
    }

    @Test func `a new change ends what can be done again`() throws {
        let context = try undoing()
        let note = try saved(context, "a")
        note.title = "b"
        context.undo()
        note.body = "x"
        context.redo()
        #expect(note.title == "a")
        #expect(note.body == "x")
    }

    @Test func `a deletion brings values and both sides of relationships back`() throws {
        let context = try undoing()
        let folder = context.insert(Folder.self)
        let tag = context.insert(Tag.self)
        tag.name = "t"
        let note = try saved(context, "a")
        note.folder = folder
        note.tags.insert(tag)
        try context.save()
        context.undoManager?.removeAllActions()
        context.delete(folder)
        context.delete(note)
        #expect(tag.notes.isEmpty)
        context.undo()
        #expect(!note.isDeleted && !folder.isDeleted)
        #expect(note.folder === folder)
        #expect(tag.notes.array == [note])
        #expect(!context.hasChanges)
    }

    @Test func `an object that left an unread relationship comes back, and nothing is left to save`() throws {
        let context = try undoing()
        let tag = context.insert(Tag.self)
        tag.name = "t"
        let other = context.insert(Tag.self)
        other.name = "u"
        let note = try saved(context, "a")
        note.tags.insert(tag)
        try context.save()
        context.undoManager?.removeAllActions()
        let (noteID, tagID) = (note.objectID, tag.objectID)
        context.reset()
        let again = try #require(try context.existingObject(with: noteID) as? Note)
        let member = try #require(try context.existingObject(with: tagID) as? Tag)
        again.tags.remove(member)
        #expect(again.isUpdated)
        context.undo()
        #expect(!again.hasPersistentChangedValues && !member.hasPersistentChangedValues)
        #expect(!context.hasChanges)
        context.redo()
        #expect(again.tags.isEmpty)
        context.undo()
        #expect(again.tags.array == [member])
        // An object that entered and left since then enters again.
        let late = try #require(try context.existingObject(with: other.objectID) as? Tag)
        again.tags.insert(late)
        context.processPendingChanges()
        again.tags.remove(late)
        context.undo()
        #expect(Set(again.tags.array) == [member, late])
        context.undo()
        #expect(again.tags.array == [member] && !context.hasChanges)
    }

    @Test func `an object that came back into an unread relationship leaves it again`() throws {
        let context = try undoing()
        let (from, to) = (context.insert(Folder.self), context.insert(Folder.self))
        let note = try saved(context, "a")
        note.folder = from
        try context.save()
        context.refreshAllObjects()  // Nobody has read who is in the folders.
        note.folder = to
        context.processPendingChanges()
        from.notes.insert(note)
        context.undo()
        #expect(note.folder === to)
        #expect(from.notes.isEmpty)
        #expect(to.notes.map(\.title) == ["a"])
        context.redo()
        #expect(note.folder === from)
        #expect(from.notes.map(\.title) == ["a"])
        #expect(to.notes.isEmpty)
    }

    @Test func `a saved deletion comes back under a new id`() throws {
        let context = try undoing()
        let folder = context.insert(Folder.self)
        let note = try saved(context, "a")
        note.folder = folder
        try context.save()
        context.undoManager?.removeAllActions()
        let id = folder.objectID
        context.delete(folder)
        try context.save()
        #expect(note.folder == nil)
        context.undo()
        #expect(folder.isInserted)
        #expect(folder.objectID != id)
        #expect(note.folder === folder)
        try context.save()
        #expect(try context.count(for: FetchRequest<Folder>()) == 1)
        #expect(folder.notes.array == [note])
    }

    @Test func `a saved deletion comes back in the store that it was in`() throws {
        let world = try World(stores: ["first", "second"])
        let context = world.context()
        context.undoManager = ContextUndoManager()
        let note = context.insert(Note.self)
        note.title = "a"
        try context.assign(note, toStoreNamed: "second")
        try context.save()
        context.delete(note)
        try context.save()
        context.undo()
        try context.save()
        #expect(note.objectID.storeUUID == world.coordinator.stores[1].uuid)
    }

    @Test(arguments: [false, true])
    func `what is not saved comes back in the store that it was assigned to`(_ isDeleted: Bool) throws {
        let world = try World(stores: ["first", "second"])
        let context = world.context()
        context.undoManager = ContextUndoManager()
        let note = context.insert(Note.self)
        context.processPendingChanges()
        try context.assign(note, toStoreNamed: "second")
        if isDeleted { context.delete(note) }
        context.undo()
        #expect(note.isInserted == isDeleted)
        if !isDeleted { context.redo() }
        note.title = "a"
        try context.save()
        #expect(note.objectID.storeUUID == world.coordinator.stores[1].uuid)
    }

    @Test func `groups are one step, and levels are bounded`() throws {
        let context = try undoing()
        let note = try saved(context, "a")
        let manager = try #require(context.undoManager)
        manager.beginGrouping()
        note.title = "b"
        context.processPendingChanges()
        note.body = "x"
        manager.endGrouping()
        context.undo()
        #expect(note.title == "a" && note.body == nil)
        manager.levelsOfUndo = 2
        for title in ["1", "2", "3"] {
            note.title = title
            context.processPendingChanges()
        }
        #expect(manager.undoCount == 2)
        context.undo()
        context.undo()
        context.undo()
        #expect(note.title == "1")
    }

    @Test func `each perform is a step, and a child's save is one above`() async throws {
        let world = try World()
        let background = try BackgroundContext(coordinator: world.coordinator)
        await background.perform { context in
            context.register(Note.self)
            context.undoManager = ContextUndoManager()
            context.insert(Note.self).title = "a"
        }
        await background.perform { $0.insert(Note.self).title = "b" }
        await background.perform { $0.undo() }
        try await background.perform { context in
            #expect(try context.fetch(Note.all).map(\.title) == ["a"])
            context.undoManager?.removeAllActions()
            let child = context.newChild()
            child.insert(Note.self).title = "c"
            try child.fetch(Note.all).first?.title = "d"
            try child.save()
            context.undo()
            #expect(try context.fetch(Note.all).map(\.title) == ["a"])
        }
    }

    @Test func `what somebody else deleted is left out`() throws {
        let world = try World()
        let context = world.context()
        let note = try saved(context, "a")
        context.undoManager = ContextUndoManager()
        note.title = "b"
        try context.save()
        try deleteElsewhere(note, world)
        context.undo()
        #expect(note.isDeleted)
        #expect(!context.hasChanges)
    }

    @Test func `an insertion that could not be undone, for somebody deleted the object, is not done again`()
        throws
    {
        let world = try World()
        let context = world.context()
        context.undoManager = ContextUndoManager()
        let note = context.insert(Note.self)
        note.title = "a"
        try context.save()
        try deleteElsewhere(note, world)
        context.undo()
        context.redo()
        #expect(note.isDeleted)
        #expect(!context.hasChanges)
    }

    @Test func `a deletion that was not done again, for somebody else had done it, is not undone`() throws {
        let world = try World()
        let context = world.context()
        let note = try saved(context, "a")
        context.undoManager = ContextUndoManager()
        context.delete(note)
        try context.save()
        context.undo()
        try context.save()
        try deleteElsewhere(note, world)
        context.redo()
        context.undo()
        #expect(note.isDeleted)
        #expect(!context.hasChanges)
    }

    @Test(arguments: Seed.several(12)) func `walking back and forth comes to equal states`(seed: Seed) throws
    {
        var random = seed.generator()
        let context = try undoing()
        var walk = RandomWalk(context: context)
        var states = [walk.state]
        for _ in 0..<60 {
            walk.step(&random)
            context.processPendingChanges()
            if let manager = context.undoManager, manager.undoCount == states.count {
                states.append(walk.state)
            }
            if Int.random(in: 0..<10, using: &random) == 0 { try context.save() }
        }
        for (place, state) in states.enumerated().reversed().dropFirst() {
            context.undo()
            #expect(walk.state == state, "seed \(seed), undo to \(place)")
        }
        for (place, state) in states.enumerated().dropFirst() {
            context.redo()
            #expect(walk.state == state, "seed \(seed), redo to \(place)")
        }
    }
}
