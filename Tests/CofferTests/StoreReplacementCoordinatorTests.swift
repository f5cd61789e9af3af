import Coffer
import CofferModel
import FoundationEssentials
import Synchronization
import Testing

@Suite struct `Stores that are exchanged` {
    @Test func `a context saves before an exchange of its store, and forgets after`() async throws {
        let world = try World()
        let context = world.context()
        let child = context.newChild()
        let note = context.insert(Note.self)
        note.title = "old"
        try context.save()
        let below = try child.existingObject(with: note.objectID)
        note.title = "last words"
        let token = context.onNotification { [unowned context] notification in
            if notification == .storesWillChange { try? context.save() }
        }
        let stream = context.notifications
        world.coordinator.tell(.storesWillChange(nil))
        context.mergePendingChanges()
        #expect(!context.hasChanges)
        try world.exchange(titles: ["new"])
        context.mergePendingChanges()
        child.mergePendingChanges()
        #expect(note.isDeleted)
        #expect(below.isDeleted)
        let found = try context.fetch(Note.all)
        #expect(found.map(\.title) == ["new"])
        #expect(
            found.first?.objectID.storeUUID == world.coordinator.stores[0].uuid)
        #expect(try child.fetch(Note.all).map(\.title) == ["new"])
        var told: [ContextNotification] = []
        for await notification in stream {
            told.append(notification)
            if notification == .storesDidChange { break }
        }
        #expect(told.contains(.storesWillChange))
        token.cancel()
    }

    @Test func `a context that is reset during an exchange hears of it all the same`() async throws {
        let world = try World()
        let context = world.context()
        let note = context.insert(Note.self)
        note.title = "old"
        try context.save()
        let stream = context.notifications
        try world.exchange(titles: ["new"])
        context.reset()
        #expect(try context.fetch(Note.all).map(\.title) == ["new"])
        var isTold = false
        for await notification in stream where notification == .storesDidChange {
            isTold = true
            break
        }
        #expect(isTold)
    }

    @Test func `a save says that its changes were lost with the file, and the next one is of the new`() throws
    {
        let world = try World()
        let context = world.context()
        let note = context.insert(Note.self)
        note.title = "old"
        try context.save()
        note.title = "lost"
        try world.exchange(titles: ["new"])
        #expect(reason { () throws(CofferError) in try context.save() } == "store_exchanged")
        #expect(!context.hasChanges && note.isDeleted)
        context.insert(Note.self).title = "newer"
        try context.save()
        #expect(try Set(context.fetch(Note.all).map(\.title)) == ["new", "newer"])
    }

    @Test func `a save tells of lost changes where a handler that it calls hears of the exchange`() throws {
        let world = try World()
        let context = world.context()
        context.insert(Note.self).title = "lost"
        let token = context.onNotification { [unowned context] notification in
            guard notification == .disconnected else { return }
            try? world.exchange(titles: ["new"])
            context.mergePendingChanges()
        }
        world.coordinator.tell(.disconnected)
        #expect(reason { () throws(CofferError) in try context.save() } == "store_exchanged")
        withExtendedLifetime(token) {}
    }

    @Test func `a save that its own handler does before the exchange is not lost`() throws {
        let world = try World()
        let context = world.context()
        context.insert(Note.self).title = "last words"
        let token = context.onNotification { [unowned context] notification in
            if notification == .storesWillChange { try? context.save() }
        }
        world.coordinator.tell(.storesWillChange(nil))
        try context.save()
        #expect(!context.hasChanges && world.saveCount == 1)
        withExtendedLifetime(token) {}
    }

    @Test func `what was changed in a file never gets into the one that it was exchanged for`() throws {
        let world = try World()
        let context = world.context()
        context.automaticallyMergesChanges = false
        let note = context.insert(Note.self)
        note.title = "old"
        try context.save()
        note.title = "lost"
        try world.exchange(titles: ["new"])
        // A context that places a new object looks which stores there are.
        context.insert(Note.self).title = "lost too"
        #expect(throws: CofferError.self) { try context.save() }
        #expect(world.saveCount == 1)
        context.mergePendingChanges()
        #expect(!context.hasChanges)
        #expect(try context.fetch(Note.all).map(\.title) == ["new"])
    }

    @Test(arguments: [false, true])
    func `a child that has not heard of an exchange saves nothing into its parent`(isMerged: Bool) throws {
        let world = try World()
        let context = world.context()
        let note = context.insert(Note.self)
        note.title = "old"
        try context.save()
        let child = context.newChild()
        child.automaticallyMergesChanges = false
        try #require(try child.existingObject(with: note.objectID) as? Note).title = "lost"
        try world.exchange(titles: ["new"])
        if isMerged { context.mergePendingChanges() }
        #expect(reason { () throws(CofferError) in try child.save() } == "store_exchanged")
        #expect(!context.hasChanges)
        child.mergePendingChanges()
        #expect(!child.hasChanges)
        child.insert(Note.self).title = "newer"
        try child.save()
        try context.save()
        #expect(try Set(context.fetch(Note.all).map(\.title)) == ["new", "newer"])
    }

    /// The word for programs of what is thrown.
    private func reason(_ body: () throws(CofferError) -> Void) -> String? {
        do throws(CofferError) {
            try body()
            return nil
        } catch {
            if case .refused(_, let reason, _, _) = error { return reason }
            return "\(error)"
        }
    }

    @Test func `what is not stored is not a persistent change`() throws {
        let context = try World().context()
        let note = context.insert(Note.self)
        note.title = "a"
        try context.save()
        context.performAndWait { _ in note.scratch = "50" }
        #expect(note.hasChanges && context.hasChanges)
        #expect(!note.hasPersistentChangedValues)
        note.title = "b"
        #expect(note.hasPersistentChangedValues)
    }
}

extension World {
    /// How many saves the stores were asked for.
    var saveCount: Int { coordinator.state.withLock { $0.saves.count } }

    /// Puts a file with notes of these titles in the place of the store, under a handle of its own, and tells
    /// of it.
    func exchange(titles: [String]) throws {
        let other = try World()
        let writer = other.context()
        for title in titles { writer.insert(Note.self).title = title }
        try writer.save()
        coordinator.exchange(for: other.coordinator)
    }
}
