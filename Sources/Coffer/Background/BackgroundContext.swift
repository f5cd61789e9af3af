package import CofferLinux
internal import CofferWire

/// A context of its own, with a thread of its own, on which blocking does no harm.
///
/// ```swift
/// try await background.perform { context in
///     context.insert(Note.self).title = "Milk"
///     try context.save()
/// }
/// ```
///
/// What others save is merged when it arrives, unless the context's `automaticallyMergesChanges` is false.
public actor BackgroundContext {
    private nonisolated let executor: ThreadExecutor
    private nonisolated let parent: ContextMailbox?
    nonisolated let mailbox: ContextMailbox
    private let context: ManagedObjectContext

    /// The context's own thread.
    public nonisolated var unownedExecutor: UnownedSerialExecutor {
        unsafe executor.asUnownedSerialExecutor()
    }

    /// A context over the stores of `coordinator`; `name` is that of the thread too.
    package init(coordinator: any PersistentStoreCoordinator, name: String = "", author: String = "")
        throws(LinuxError)
    {
        executor = try ThreadExecutor(name: name.isEmpty ? "coffer-context" : name)
        parent = nil
        let context = ManagedObjectContext(coordinator: coordinator, name: name, author: author)
        mailbox = context.mailbox
        self.context = context
        listen()
    }

    /// A context below another one, which it asks through its mailbox.
    init(seed: ParentSeed, name: String, author: String) throws(LinuxError) {
        executor = try ThreadExecutor(name: name.isEmpty ? "coffer-context" : name)
        parent = seed.mailbox
        let context = ManagedObjectContext(
            parent: .remote(seed.mailbox), seed: seed, name: name, author: author)
        mailbox = context.mailbox
        self.context = context
        listen()
    }

    /// Does something with the context on its thread, alone.
    ///
    /// Objects stay inside: hand out ids and values. What others saved is merged before; all changes are one
    /// step of undo.
    ///
    /// - Throws: What `body` throws, and nothing else.
    public func perform<Result: Sendable>(
        _ body: @Sendable (ManagedObjectContext) throws -> Result
    ) async rethrows -> Result {
        context.handleArrivals()
        defer { context.processPendingChanges() }
        return try body(context)
    }
}

extension BackgroundContext {
    /// Does something with the context on its thread, while the calling thread waits.
    ///
    /// Called from the context's own thread, it is done at once; called from the actor of its parent, that
    /// answers meanwhile what the context and others below the parent ask it. Never call it in a task that
    /// Swift's pool runs, which is not to be blocked: `perform` is for those.
    ///
    /// Two threads that wait for each other would do so for ever. So never call it while the context's
    /// thread waits for the calling one: in a hook or handler that a parent calls while it answers this
    /// very context or one below it, and in work that the parent waits for.
    /// - Precondition: The context's thread does not wait for the calling one, unless `Failure` can be a
    ///   `CofferError`.
    /// - Throws: What `body` throws; `CofferError.refused` with the reason `circular_wait`, and nothing is
    ///   done, if that thread does.
    public nonisolated func performAndWait<Result: Sendable, Failure: Error>(
        from isolation: (any Actor)? = #isolation,
        _ body: @escaping @Sendable (ManagedObjectContext) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        if executor.isCurrent { return try now(body).get() }
        guard WaitingThreads.all.begin(waitingForAllOf: executor.threadNumber) else {
            throw Self.circularWait()
        }
        defer { WaitingThreads.all.end() }
        let wait = BlockedCaller<Swift.Result<Result, Failure>>()
        let owner = parent?.owner.flatMap { $0.isCurrent(isolation) ? $0 : nil }
        let number = owner.map { _ in parent?.addListener { wait.noteQuestion() } ?? 0 }
        defer { if let number { parent?.removeListener(number) } }
        executor.run { wait.finish(self.now(body)) }
        return try wait.result { owner?.serve() }.get()
    }

    private static func circularWait<Failure: Error>() -> Failure {
        let text = "The context's thread waits for the one that would wait for it: both would do so for ever."
        let error = CofferError.refused(
            code: StatusCode.failedPrecondition.name, reason: "circular_wait", text: text, place: "")
        guard let failure = error as? Failure else { preconditionFailure(text) }
        return failure
    }

    /// Does something with the context on its thread, which is the calling one.
    private nonisolated func now<Result: Sendable, Failure: Error>(
        _ body: @Sendable (ManagedObjectContext) throws(Failure) -> Result
    ) -> Swift.Result<Result, Failure> {
        assumeIsolated { own in
            own.context.handleArrivals()
            defer { own.context.processPendingChanges() }
            do throws(Failure) { return .success(try body(own.context)) } catch { return .failure(error) }
        }
    }

    /// Comes to what arrives in the context's mailbox.
    private nonisolated func listen() {
        mailbox.wakeUp = { [weak self] in
            guard let self else { return }
            // Not by a task, which would need Swift's pool before it comes to the context's thread.
            executor.run { self.assumeIsolated { $0.handleArrivals() } }
        }
        mailbox.owner = ContextOwner(
            isCurrent: { [weak executor] _ in executor?.isCurrent ?? false },
            serve: { [weak self] in self?.assumeIsolated { $0.context.serveChildren(isWaiting: true) } })
    }

    private func handleArrivals() { context.handleArrivals() }
}

/// A thread that waits for something done on another one, and answers questions meanwhile.
///
/// Shared.
private final class BlockedCaller<Answer: Sendable>: Sendable {
    private struct State {
        var answer: Answer?
        var hasQuestion = true
    }

    private enum Event {
        case question
        case answer(Answer)
    }

    private let state = ConditionLock(State())

    func finish(_ answer: Answer) {
        state.withLock { $0.answer = answer }
        state.signal()
    }

    func noteQuestion() {
        state.withLock { $0.hasQuestion = true }
        state.signal()
    }

    /// Waits for the answer; `serve` is called whenever there may be a question.
    func result(_ serve: () -> Void) -> Answer {
        while true {
            let event = state.wait { state -> Event? in
                if let answer = state.answer { return .answer(answer) }
                defer { state.hasQuestion = false }
                return state.hasQuestion ? .question : nil
            }
            switch event {
            case .question: serve()
            case .answer(let answer): return answer
            }
        }
    }
}
