import CofferLinux
import CofferModel

/// How a context's actor is told from other threads.
struct ContextOwner: Sendable {
    /// Whether the caller, on the actor that it is isolated to, is on the context's actor.
    var isCurrent: @Sendable ((any Actor)?) -> Bool
    /// Answers what waits; called if `isCurrent`, by a thread that waits for what depends on it.
    var serve: @Sendable () -> Void
}

extension ContextMailbox {
    /// Asks the context for something, from any other thread, and waits for it.
    ///
    /// What the context does not come to within `patience` it never does.
    /// - Throws: what `body` gives; `.unavailable` if the context has gone, or does not come to it in
    ///   time.
    func ask<Answer: Sendable>(
        _ body: @escaping @Sendable (ManagedObjectContext) -> Result<Answer, CofferError>
    ) throws(CofferError) -> Answer {
        typealias Work = @Sendable (ManagedObjectContext) -> Result<Answer, CofferError>
        let asker = WorkerThread.currentNumber
        let question = ConditionLock(QuestionState<Work, Result<Answer, CofferError>>.waiting(body))
        let isOpen = enqueue { context in
            guard let body = question.withLock({ $0.begin() }) else { return }
            WaitingThreads.all.begin(asker)
            let answer = context.map(body) ?? .failure(Self.hasGone)
            WaitingThreads.all.end(asker)
            question.withLock { $0.finish(answer) }
            question.signal()
        }
        guard isOpen else { throw Self.hasGone }
        wake()
        if let owner, owner.isCurrent(nil) { owner.serve() }
        if let answer = question.wait(timeout: patience, until: { $0.answer }) { return try answer.get() }
        if question.withLock({ $0.giveUp() }) {
            throw .unavailable("The parent context's actor did not come to a question of its child in time.")
        }
        return try question.wait(until: { $0.answer }).get()
    }

    private static var hasGone: CofferError { .unavailable("The parent context has gone.") }
}

extension ManagedObjectContext {
    /// Answers what contexts of other actors below this one ask.
    ///
    /// While one is answered others wait for their turn, unless a hook that is called for it is `isWaiting`
    /// for them.
    func serveChildren(isWaiting: Bool = false) {
        guard !isServing || isWaiting else { return }
        let wasServing = isServing
        isServing = true
        defer { isServing = wasServing }
        while let question = mailbox.nextQuestion() { question(self) }
    }

    /// Handles what waits: names, questions, and changes if they are merged unasked.
    func handleArrivals() {
        mailbox.sleep()
        processPendingChanges()
        if !mergesUnasked { mergeUnasked() }
        // A context that has given its pinned state up, with its stores, merges unasked from then on.
        if mergesUnasked { return mergePendingChanges() }
        // What others saved may wait until the application asks for it; this may not.
        let notices = mailbox.takeNotices()
        if let last = notices.last { storesWillChange(last?.transition) }
        withExtendedLifetime(notices) {}
        serveChildren()
        followNames()
    }
}
