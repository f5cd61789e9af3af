import Coffer
import CofferModel
import CofferWire
import Synchronization
import Testing

/// A row is released when nothing holds it any more, and not while an answer may bring it back.
@MainActor
@Suite struct RowReleaseTests {
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

    @Test(arguments: [false, true])
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

    /// A fetch that waits for its answer until the gate is open.
    private func begin(
        _ gate: Gate, in reader: ManagedObjectContext, of world: World
    ) -> Task<Int, any Error> {
        world.coordinator.state.withLock { $0.didAnswer = { gate.pass() } }
        return Task { @MainActor in try await reader.fetchAsync(FetchRequest<Tag>()).count }
    }

    /// Makes many objects die while an answer is on its way, and begins another fetch.
    private func withOverlap(
        _ body: (World, _ first: Task<Int, any Error>, Gate, _ next: Task<Int, any Error>, Gate) async throws
            -> Void
    ) async throws {
        let world = try World()
        let (writer, _, _) = try world.filled()
        for _ in 0..<Self.many { writer.insert(Folder.self).name = "f" }
        try writer.save()
        let reader = world.context("reader")
        var held = try reader.fetch(FetchRequest<Folder>())
        let (early, late) = (Gate(after: 0), Gate(after: 0))
        let first = begin(early, in: reader, of: world)
        for await _ in early.waiting { break }
        #expect(held.count > Self.many)
        held = []
        let next = begin(late, in: reader, of: world)
        await Task.yield()
        try await body(world, first, early, next, late)
    }

    /// More than may wait while answers overlap.
    private static let many = 5_000

    @Test
    func `rows are released between two answers where answers overlap all the time`() async throws {
        try await withOverlap { (world, first, early, next, late) async throws in
            early.open()
            _ = try await first.value
            for await _ in late.waiting { break }
            #expect(released("Folder", in: world).count > Self.many)
            late.open()
            #expect(try await next.value == 0)
        }
    }

    @Test
    func `a fetch that waits for the release of rows can be cancelled`() async throws {
        try await withOverlap { (world, first, early, next, late) async throws in
            next.cancel()
            late.open()
            await #expect(throws: CancellationError.self) { try await next.value }
            #expect(released("Folder", in: world).count < Self.many)
            early.open()
            #expect(try await first.value == 0)
        }
    }

    @Test func `an object whose row was prefetched meanwhile is not released`()
        async throws
    {
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
