import Coffer
import CofferLinux
import CofferModel
import Synchronization
import Testing

/// Lets a test do something between an answer and its arrival.
private final class Gate: Sendable {
    private let isOpen = ConditionLock(false)
    private let continuation: AsyncStream<Void>.Continuation
    /// An element for each answer that waits.
    let waiting: AsyncStream<Void>
    /// How many answers go through before one waits.
    private let skipped: Mutex<Int>

    init(after skipped: Int) {
        (waiting, continuation) = AsyncStream.makeStream()
        self.skipped = Mutex(skipped)
    }

    func pass() {
        let waits = skipped.withLock { count in
            count -= 1
            return count == -1
        }
        guard waits else { return }
        continuation.yield()
        isOpen.wait { $0 ? () : nil }
    }

    func open() {
        isOpen.withLock { $0 = true }
        isOpen.broadcast()
    }
}

private final class Counter: Sendable {
    private let number = Atomic(0)
    var count: Int { number.load(ordering: .relaxed) }
    func add() { number.add(1, ordering: .relaxed) }
}

@MainActor
private final class Found {
    var folders: [Folder] = []
}

@MainActor
@Suite struct `Answers that come late` {
    /// A fetch under way, and what is done before its answer number `place` arrives.
    private func fetching(
        _ request: FetchRequest<Folder>, in reader: ManagedObjectContext, _ world: World, until place: Int,
        progress: ((FetchProgress) -> Void)? = nil, meanwhile: () throws -> Void
    ) async throws -> [Folder] {
        let gate = Gate(after: place)
        world.coordinator.state.withLock { $0.didAnswer = { gate.pass() } }
        defer { world.coordinator.state.withLock { $0.didAnswer = nil } }
        let found = Found()
        let task = Task { @MainActor in
            found.folders = try await reader.fetchAsync(request, progress: progress)
        }
        for await _ in gate.waiting { break }
        do {
            defer { gate.open() }
            try meanwhile()
        }
        try await task.value
        return found.folders
    }

    private func filled(_ world: World) throws -> (ManagedObjectContext, Folder, Note) {
        let writer = world.context("writer")
        let folder = writer.insert(Folder.self)
        folder.name = "old"
        let note = writer.insert(Note.self)
        note.title = "old"
        note.folder = folder
        try writer.save()
        return (writer, folder, note)
    }

    @Test(.timeLimit(.minutes(15))) func `what was merged meanwhile is newer than what was prefetched`()
        async throws
    {
        for pushesValues in [true, false] {
            let world = try World()
            world.coordinator.state.withLock { $0.pushesValues = pushesValues }
            let (writer, folder, note) = try filled(world)
            let reader = world.context("reader")
            let found = try await fetching(
                FetchRequest<Folder>().prefetching("notes"), in: reader, world, until: 1
            ) {
                note.title = "new"
                let other = writer.insert(Note.self)
                other.title = "other"
                other.folder = folder
                try writer.save()
                reader.mergePendingChanges()
            }
            #expect(found.first?.notes.map(\.title).sorted() == ["new", "other"])
            let below = try #require(found.first?.notes.first { $0.title == "new" })
            below.title = "newest"
            try reader.save()
        }
    }

    @Test(.timeLimit(.minutes(15))) func `what was merged meanwhile is newer than what was fetched`()
        async throws
    {
        let ways: [((FetchProgress) -> Void)?] = [nil, { _ in }]
        for progress in ways {
            let world = try World()
            let (writer, folder, _) = try filled(world)
            let gone = writer.insert(Folder.self)
            try writer.save()
            let reader = world.context("reader")
            let found = try await fetching(
                FetchRequest<Folder>(), in: reader, world, until: progress == nil ? 0 : 1, progress: progress
            ) {
                folder.name = "new"
                writer.delete(gone)
                try writer.save()
                reader.mergePendingChanges()
            }
            #expect(found.filter { !$0.isDeleted }.map(\.name) == ["new"])
            found.first { !$0.isDeleted }?.name = "newest"
            try reader.save()
        }
    }

    @Test(.timeLimit(.minutes(15))) func `what the context itself saved meanwhile is newer too`() async throws
    {
        let world = try World()
        let (_, folder, _) = try filled(world)
        let reader = world.context("reader")
        let own = try #require(try reader.existingObject(with: folder.objectID) as? Folder)
        let found = try await fetching(FetchRequest<Folder>(), in: reader, world, until: 0) {
            reader.insert(Folder.self).name = "own"
            reader.delete(own)
            try reader.save()
        }
        #expect(found.map(\.name) == ["own"] && found.allSatisfy { !$0.isDeleted })
    }

    @Test(.timeLimit(.minutes(15))) func `what a reset dropped is newer too`() async throws {
        let world = try World()
        let (writer, folder, _) = try filled(world)
        let reader = world.context("reader")
        let found = try await fetching(FetchRequest<Folder>(), in: reader, world, until: 0) {
            folder.name = "new"
            try writer.save()
            reader.reset()
        }
        #expect(found.map(\.name) == ["new"])
    }

    @Test(.timeLimit(.minutes(15))) func `changes of other entities cost no second question`() async throws {
        let world = try World()
        let (writer, _, _) = try filled(world)
        let reader = world.context("reader")
        let answers = Counter()
        let found = try await fetching(FetchRequest<Folder>(), in: reader, world, until: 0) {
            writer.insert(Tag.self).name = "t"
            try writer.save()
            reader.mergePendingChanges()
            world.coordinator.state.withLock { $0.didAnswer = { answers.add() } }
        }
        #expect(found.map(\.name) == ["old"] && answers.count == 0)
    }
}
