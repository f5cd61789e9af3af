import Coffer
import CofferModel
import CofferWire
import Synchronization
import Testing

/// A row is released when nobody holds it any more, and not while an answer may bring it back.
@MainActor
@Suite struct HeldRowTests {
    /// The keys of an entity's rows that were released.
    private func released(_ entity: String, in world: World) -> [Int64] {
        let index = world.coordinator.model.entity(named: entity)?.index
        return world.coordinator.state.withLock { state in
            state.released.filter { $0.entity == index }.flatMap(\.primaryKeys)
        }
    }

    /// Calls the store, which sends what is to be released.
    private func call(_ context: ManagedObjectContext) throws {
        _ = try context.count(for: FetchRequest<Tag>())
    }

    @Test(.timeLimit(.minutes(15)), arguments: [false, true])
    func `an object that died and came back with an answer is released when it dies again`(
        callsMeanwhile: Bool
    ) async throws {
        let world = try World()
        let (_, folder, _) = try world.filled()
        let reader = world.context("reader")
        var held = try reader.fetch(FetchRequest<Folder>())
        var found = try await world.fetching(FetchRequest<Folder>(), in: reader, until: 0) {
            held = []
            #expect(reader.registeredObjectCount == 0)
            if callsMeanwhile { try call(reader) }
        }
        try call(reader)
        #expect(held.isEmpty && found.count == 1 && released("Folder", in: world).isEmpty)
        found = []
        try call(reader)
        #expect(released("Folder", in: world) == [try #require(folder.objectID.primaryKey)])
    }

    @Test(.timeLimit(.minutes(15))) func `nor is one whose row was prefetched meanwhile`() async throws {
        let world = try World()
        let (_, _, note) = try world.filled()
        let reader = world.context("reader")
        var held = try reader.fetch(Note.all)
        var found = try await world.fetching(
            FetchRequest<Folder>().prefetching("notes"), in: reader, until: 1
        ) {
            held = []
        }
        try call(reader)
        #expect(held.isEmpty && found.count == 1 && released("Note", in: world).isEmpty)
        found = []
        try call(reader)
        #expect(released("Note", in: world) == [try #require(note.objectID.primaryKey)])
    }
}
