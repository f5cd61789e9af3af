import Coffer
import CofferLinux
import CofferModel
import Synchronization
import Testing

/// Does something when it was read.
private final class Watchful: Note {
    var onFetch: (() -> Void)?

    override func awakeFromFetch() { onFetch?() }
}

/// Contexts that would wait for each other.
@Suite struct `Waiting in a circle` {
    private let world: World
    private let errors = ConditionLock<[CofferError]>([])

    init() throws {
        world = try World()
        let context = world.context()
        context.insert(Note.self).title = "n"
        try context.save()
    }

    private func context(_ name: String) throws -> BackgroundContext {
        try BackgroundContext(coordinator: world.coordinator, name: name)
    }

    private func child(of parent: BackgroundContext, _ name: String) async throws -> BackgroundContext {
        try await parent.perform { context in
            context.register(Note.self)
            return try context.newBackgroundChild(name: name)
        }
    }

    /// Lets a context call `body` when it is asked for the note the next time.
    private func hook(_ context: BackgroundContext, _ body: @escaping @Sendable () -> Void) async throws {
        try await context.perform { context in
            context.register(Watchful.self, forEntity: "Note")
            let note = try #require(try context.fetch(FetchRequest<Watchful>(entityName: "Note")).first)
            note.rating = 4  // The context keeps it.
            context.refresh(note, mergeChanges: true)
            note.onFetch = { [unowned note] in
                note.onFetch = nil
                body()
            }
        }
    }

    /// Waits for a context, and notes the error if it may not.
    @Sendable private func wait(for context: BackgroundContext) {
        do throws(CofferError) {
            try context.performAndWait { _ throws(CofferError) in }
        } catch {
            errors.withLock { $0.append(error) }
        }
    }

    private var reasons: [String] {
        errors.withLock { errors in
            errors.map { error in
                if case .refused(_, let reason, _, _) = error { reason } else { "\(error)" }
            }
        }
    }

    @Test func `a hook that waits for the child which its context answers is refused`() async throws {
        let parent = try context("parent")
        let child = try await child(of: parent, "child")
        try await hook(parent) { wait(for: child) }
        #expect(try await child.perform { try $0.fetch(Note.all).map(\.title) } == ["n"])
        #expect(reasons == ["circular_wait"])
        wait(for: child)
        #expect(reasons.count == 1, "nobody is in its way now")
    }

    @Test func `a hook that waits for a grandchild which its context answers is refused`() async throws {
        let top = try context("top")
        let middle = try await child(of: top, "middle")
        let bottom = try await child(of: middle, "bottom")
        try await hook(top) { wait(for: bottom) }
        #expect(try await bottom.perform { try $0.fetch(Note.all).map(\.title) } == ["n"])
        #expect(reasons == ["circular_wait"])
    }

    @Test func `a child that waits for its parent, which waits for it, is refused`() async throws {
        let parent = try context("parent")
        let child = try await child(of: parent, "child")
        await parent.perform { _ in child.performAndWait { _ in wait(for: parent) } }
        #expect(reasons == ["circular_wait"])
        await parent.perform { _ in child.performAndWait { _ in wait(for: child) } }
        #expect(reasons.count == 1, "a reader that is there already waits for nobody")
    }

    @Test func `a hook may wait for another child, and its context answers that one meanwhile`() async throws
    {
        let parent = try context("parent")
        let (child, other) = (try await child(of: parent, "child"), try await child(of: parent, "other"))
        let count = Mutex(0)
        try await hook(parent) {
            let found = other.performAndWait { context in try? context.count(for: Note.all) }
            count.withLock { $0 = found ?? -1 }
        }
        #expect(try await child.perform { try $0.fetch(Note.all).map(\.title) } == ["n"])
        #expect(count.withLock { $0 } == 1)
    }

    @Test func `where no error can be thrown, waiting in a circle ends the process`() async {
        await #expect(processExitsWith: .failure) {
            let world = try World()
            let parent = try BackgroundContext(coordinator: world.coordinator, name: "parent")
            let child = try await parent.perform { try $0.newBackgroundChild(name: "child") }
            await parent.perform { _ in
                child.performAndWait { _ in parent.performAndWait { _ in } }
            }
        }
    }
}
