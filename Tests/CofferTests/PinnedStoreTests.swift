import Coffer
import CofferModel
import Synchronization
import Testing

/// What a context with a pinned state hears of its stores, and how long the state is kept.
@Suite struct `Pinned states of stores` {
    private func pinned(_ world: World) throws -> (ManagedObjectContext, Note) {
        let context = world.context()
        let note = context.insert(Note.self)
        note.title = "old"
        try context.save()
        try context.setQueryGeneration(from: .current)
        return (context, note)
    }

    private func pins(_ world: World) -> Int { world.coordinator.state.withLock { $0.pins.count } }

    @Test(arguments: [false, true])
    func `a context hears of the connection and of another file, which it reads`(fetches: Bool) throws {
        let world = try World()
        let (context, note) = try pinned(world)
        func arrive() throws {
            if fetches { _ = try context.fetch(Note.all) } else { context.performAndWait { _ in } }
        }
        var heard: [ContextNotification] = []
        let token = context.onNotification { heard.append($0) }
        let other = world.context()
        try #require(try other.existingObject(with: note.objectID) as? Note).body = "other"
        try other.save()
        world.coordinator.tell(.disconnected)
        try arrive()
        #expect(heard == [.disconnected] && pins(world) == 1)
        try world.exchange(titles: ["new"])
        try arrive()
        #expect(heard == [.disconnected, .storesDidChange])
        #expect(context.queryGenerationToken == nil && pins(world) == 0 && note.isDeleted)
        #expect(try context.fetch(Note.all).map(\.title) == ["new"])
        withExtendedLifetime(token) {}
    }

    @Test func `a state goes with its context, though objects are held`() throws {
        let world = try World()
        let note = try pinned(world).1
        #expect(pins(world) == 0)
        withExtendedLifetime(note) {}
    }
}
