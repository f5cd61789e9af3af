import Coffer
import CofferLinux
import CofferModel
import Synchronization

/// Lets a test do something between an answer and its arrival.
final class Gate: Sendable {
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

final class Counter: Sendable {
    private let number = Atomic(0)
    var count: Int { number.load(ordering: .relaxed) }
    func add() { number.add(1, ordering: .relaxed) }
}

@MainActor
private final class Found<Object> {
    var objects: [Object] = []
}

extension World {
    /// A fetch under way, and what is done before its answer number `place` arrives.
    @MainActor
    func fetching<Object: ManagedObject>(
        _ request: FetchRequest<Object>, in reader: ManagedObjectContext, until place: Int,
        progress: ((FetchProgress) -> Void)? = nil, meanwhile: () throws -> Void
    ) async throws -> [Object] {
        let gate = Gate(after: place)
        coordinator.state.withLock { $0.didAnswer = { gate.pass() } }
        defer { coordinator.state.withLock { $0.didAnswer = nil } }
        let found = Found<Object>()
        let task = Task { @MainActor in
            found.objects = try await reader.fetchAsync(request, progress: progress)
        }
        for await _ in gate.waiting { break }
        do {
            defer { gate.open() }
            try meanwhile()
        }
        try await task.value
        return found.objects
    }

    /// A context that has saved a folder with a note, both of the name "old".
    func filled() throws -> (ManagedObjectContext, Folder, Note) {
        let writer = context("writer")
        let folder = writer.insert(Folder.self)
        folder.name = "old"
        let note = writer.insert(Note.self)
        note.title = "old"
        note.folder = folder
        try writer.save()
        return (writer, folder, note)
    }
}
