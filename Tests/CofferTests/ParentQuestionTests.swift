import Coffer
import CofferLinux
import CofferModel
import Synchronization
import Testing

@Suite struct `Questions to a parent of another actor` {
    private struct Pair {
        let world: World
        let parent: BackgroundContext
        let child: BackgroundContext
    }

    private func pair() async throws -> Pair {
        let world = try World()
        let parent = try BackgroundContext(coordinator: world.coordinator, name: "parent")
        let child = try await parent.perform { context in
            context.register(Note.self)
            return try context.newBackgroundChild(name: "child")
        }
        return Pair(world: world, parent: parent, child: child)
    }

    /// Why a child cannot save while its parent's thread, which this is, does not come to it and the child
    /// has no patience.
    private func failure(ofSaving child: BackgroundContext, into parent: ManagedObjectContext) throws
        -> CofferError?
    {
        let patience = parent.patienceOfChildren
        parent.patienceOfChildren = .zero
        defer { parent.patienceOfChildren = patience }
        let failure = Mutex<CofferError?>(nil)
        let thread = try WorkerThread(name: "caller") {
            do throws(CofferError) {
                try child.performAndWait { context throws(CofferError) in try context.save() }
            } catch {
                failure.withLock { $0 = error }
            }
        }
        thread.join()
        return failure.withLock { $0 }
    }

    @Test func `what a child gave up is not done later`() async throws {
        let pair = try await pair()
        let child = pair.child
        await child.perform { $0.insert(Note.self).title = "once" }
        let error = try await pair.parent.perform { try failure(ofSaving: child, into: $0) }
        guard case .unavailable? = error else {
            return #expect(Bool(false), "it is \(error as Any)")
        }
        #expect(await pair.parent.perform { $0.insertedObjects.count } == 0)
        #expect(await child.perform { $0.insertedObjects.count } == 1)
        try await child.perform { try $0.save() }
        #expect(await pair.parent.perform { $0.insertedObjects.count } == 1)
        try await pair.parent.perform { try $0.save() }
        #expect(try pair.world.context().fetch(Note.all).map(\.title) == ["once"])
    }

    @Test func `what the parent has begun is waited for`() throws {
        enum Stage { case quiet, asked, begun }
        let stage = ConditionLock(Stage.quiet)
        let world = try World()
        let parent = world.context()
        parent.insert(Note.self).title = "above"
        let child = try parent.newBackgroundChild(name: "child")
        parent.patienceOfChildren = .zero
        // The child that asks calls this, and is out of patience when it returns.
        parent.wakeUp = {
            stage.withLock { $0 = .asked }
            stage.broadcast()
            stage.wait { $0 == .begun ? () : nil }
        }
        world.coordinator.state.withLock { state in
            state.didAnswer = {
                stage.withLock { $0 = .begun }
                stage.broadcast()
            }
        }
        let count = Mutex(0)
        let thread = try WorkerThread(name: "caller") {
            let answer = child.performAndWait { context in try? context.count(for: Note.all) }
            count.withLock { $0 = answer ?? -1 }
        }
        stage.wait { $0 == .asked ? () : nil }
        parent.mergePendingChanges()
        thread.join()
        #expect(count.withLock { $0 } == 1)
    }

    @Test
    func
        `a question is answered by a context that hears in that moment that its pinned stores no longer exist`()
        throws
    {
        let world = try World()
        let parent = world.context()
        parent.insert(Note.self).title = "old"
        try parent.save()
        try parent.setQueryGeneration(from: .current)
        let child = try parent.newBackgroundChild(name: "child")
        let isAsked = ConditionLock(false)
        parent.wakeUp = {
            isAsked.withLock { $0 = true }
            isAsked.broadcast()
        }
        let count = Mutex(0)
        let thread = try WorkerThread(name: "caller") {
            let answer = child.performAndWait { context in try? context.count(for: Note.all) }
            count.withLock { $0 = answer ?? -1 }
        }
        isAsked.wait { $0 ? () : nil }
        try world.exchange(titles: ["new", "newer"])
        parent.performAndWait { _ in }
        thread.join()
        #expect(parent.queryGenerationToken == nil)
        #expect(count.withLock { $0 } == 2)
    }
}

/// Every state with every event.
@Suite struct QuestionStateTests {
    private typealias State = QuestionState<String, Int>

    private func name(_ state: State) -> String {
        switch state {
        case .waiting(let work): "waiting for \(work)"
        case .begun: "begun"
        case .answered(let answer): "answered \(answer)"
        case .abandoned: "abandoned"
        }
    }

    private static let states: [State] = [.waiting("it"), .begun, .answered(1), .abandoned]

    private func after(_ event: (inout State) -> some Any) -> [String] {
        Self.states.map { state in
            var state = state
            let answer = event(&state)
            return "\(answer): \(name(state))"
        }
    }

    @Test func `only what waits is begun, and once`() {
        #expect(
            after { $0.begin() ?? "nothing" } == [
                "it: begun", "nothing: begun", "nothing: answered 1", "nothing: abandoned",
            ])
    }

    @Test func `only what was begun is answered, and once`() {
        #expect(
            after { $0.finish(2) } == [
                "(): waiting for it", "(): answered 2", "(): answered 1", "(): abandoned",
            ])
    }

    @Test func `only what was not begun is given up`() {
        #expect(
            after { $0.giveUp() } == [
                "true: abandoned", "false: begun", "false: answered 1", "true: abandoned",
            ])
    }

    @Test func `only what was answered has an answer`() {
        #expect(Self.states.map(\.answer) == [nil, nil, 1, nil])
    }
}
