internal import CofferLinux

/// What a context merged and saved while answers were on their way to it, whose rows may be older.
///
/// Empty, and told nothing, while none is.
struct ArrivalWatch {
    private var underWay = 0
    /// The last transaction that changed something in each inheritance tree of a store.
    private var changes: [ObjectReference.Table: UInt64] = [:]
    /// The last transaction of each store up to which anything may have changed.
    private var reloads: [Int16: UInt64] = [:]
    /// Of the last answer on its way, where somebody waits for that.
    private var lastEnd: LastEnd?

    /// Whether an answer is on its way.
    @inline(__always)
    var isWatching: Bool { underWay > 0 }

    /// An answer is on its way from now on.
    mutating func begin() { underWay += 1 }

    /// An answer came, or will not come.
    mutating func end() {
        underWay -= 1
        if underWay > 0 { return }
        lastEnd?.come()
        self = ArrivalWatch()
    }

    /// The time when no answer is on its way any more.
    mutating func nextLastEnd() -> LastEnd {
        let end = lastEnd ?? LastEnd()
        lastEnd = end
        return end
    }

    /// The end of the last answer on its way.
    ///
    /// Shared by the context and the threads that wait.
    final class LastEnd: Sendable {
        private let hasCome = ConditionLock(false)

        /// Says that it has come.
        fileprivate func come() {
            hasCome.withLock { $0 = true }
            hasCome.broadcast()
        }

        /// Waits for it, unless `cancellation` comes first.
        fileprivate func wait(_ cancellation: CallCancellation) throws(CofferError) {
            cancellation.onCancel { [hasCome] in
                hasCome.withLock { _ in }  // Whoever has looked waits by then.
                hasCome.broadcast()
            }
            hasCome.wait { $0 || cancellation.isCancelled ? () : nil }
            if cancellation.isCancelled { throw .cancelled }
        }
    }

    /// A transaction that changed objects of an inheritance tree was taken in.
    mutating func note(_ number: UInt64, of table: ObjectReference.Table) {
        changes[table] = max(number, changes[table] ?? 0)
    }

    /// A store's transactions up to one were taken in, whatever they changed.
    mutating func noteAll(_ number: UInt64, of store: Int16) {
        reloads[store] = max(number, reloads[store] ?? 0)
    }

    /// Whether an answer about inheritance trees, as they were after a transaction, is older than what was taken in meanwhile.
    func isOutdated(_ number: UInt64, about tables: [ObjectReference.Table]) -> Bool {
        tables.contains { number < max(changes[$0] ?? 0, reloads[$0.store] ?? 0) }
    }
}

extension ManagedObjectContext {
    /// Asks a store without blocking the context's actor, until the answer has all that was merged and saved here meanwhile.
    ///
    /// Nothing else does the actor between the answer's arrival and the return, so that the caller may take it in as it is. Where others
    /// change the same inheritance trees all the time, the actor waits for the last of `Limits.outdatedAnswers` and one attempts.
    /// - Parameters:
    ///   - tables: What the answer is about.
    ///   - number: The transaction after which the answer was true.
    ///   - ask: Asks; called on other threads, and at last on this one.
    /// - Returns: The answer.
    /// - Throws: `CancellationError` where the task is cancelled, else what `ask` throws.
    func currentAnswer<Reply: Sendable>(
        about tables: [ObjectReference.Table], number: (Reply) -> UInt64,
        _ ask: @escaping @Sendable (CallCancellation) throws(CofferError) -> Reply
    ) async throws -> Reply {
        // What is pinned is older on purpose.
        guard pinned == nil else { return try await cancellable(ask) }
        try await letReleasesGo()
        arrivals.begin()
        defer { arrivals.end() }
        for _ in 0..<Limits.outdatedAnswers {
            let reply = try await cancellable(ask)
            if !arrivals.isOutdated(number(reply), about: tables) { return reply }
        }
        return try ask(CallCancellation())
    }

    /// Where many releases wait for a moment without an answer on its way, waits for that too, and sends them.
    ///
    /// Answers that overlap all the time would leave none. Those on their way do not wait for others, and so come to an end.
    private func letReleasesGo() async throws {
        while arrivals.isWatching, registry.releasedCount > Limits.waitingReleases {
            let end = arrivals.nextLastEnd()
            try await cancellable { cancellation throws(CofferError) in try end.wait(cancellation) }
            sendReleases()
        }
    }

    /// Runs what blocks on a thread of its own, and takes it back when the task is cancelled.
    private nonisolated func cancellable<Reply: Sendable>(
        _ body: @escaping @Sendable (CallCancellation) throws(CofferError) -> Reply
    ) async throws -> Reply {
        let cancellation = CallCancellation()
        return try await withTaskCancellationHandler {
            do throws(CofferError) {
                return try await Blocking.value { () throws(CofferError) in try body(cancellation) }
            } catch {
                if error.isCancellation && Task.isCancelled { throw CancellationError() }
                throw error
            }
        } onCancel: {
            cancellation.cancel()
        }
    }
}
