import Coffer
import CofferModel
import FoundationEssentials
import Synchronization
import Testing

@Suite struct `Stores that are exchanged` {
    @Test func `a context saves before, and forgets after`() async throws {
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
        let other = try World()
        let writer = other.context()
        writer.insert(Note.self).title = "new"
        try writer.save()
        let kept = other.coordinator.state.withLock { $0.stores[0] }
        world.coordinator.state.withLock { $0.stores[0] = kept }
        world.coordinator.tell(.storesDidChange(isRemoved: false))
        context.mergePendingChanges()
        child.mergePendingChanges()
        #expect(note.isDeleted)
        #expect(below.isDeleted)
        let found = try context.fetch(Note.all)
        #expect(found.map(\.title) == ["new"])
        #expect(found.first?.objectID.storeUUID == kept.description.uuid)
        #expect(try child.fetch(Note.all).map(\.title) == ["new"])
        var told: [ContextNotification] = []
        for await notification in stream {
            told.append(notification)
            if notification == .storesDidChange { break }
        }
        #expect(told.contains(.storesWillChange))
        token.cancel()
    }

    @Test func `a context that is reset meanwhile hears of it all the same`() async throws {
        let world = try World()
        let context = world.context()
        let note = context.insert(Note.self)
        note.title = "old"
        try context.save()
        let stream = context.notifications
        let other = try World()
        let writer = other.context()
        writer.insert(Note.self).title = "new"
        try writer.save()
        let kept = other.coordinator.state.withLock { $0.stores[0] }
        world.coordinator.state.withLock { $0.stores[0] = kept }
        world.coordinator.tell(.storesDidChange(isRemoved: false))
        context.reset()
        #expect(try context.fetch(Note.all).map(\.title) == ["new"])
        var isTold = false
        for await notification in stream where notification == .storesDidChange {
            isTold = true
            break
        }
        #expect(isTold)
    }

    @Test func `what is not stored is no persistent change`() throws {
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
