/// What a context merged and saved while answers were on their way to it, whose rows may be older.
///
/// Empty, and told nothing, while none is.
struct ArrivalWatch {
    private var underWay = 0
    /// The last transaction that changed something in each inheritance tree of a store.
    private var changes: [ObjectReference.Table: UInt64] = [:]
    /// The last transaction of each store up to which anything may have changed.
    private var reloads: [Int16: UInt64] = [:]

    /// Whether an answer is on its way.
    @inline(__always)
    var isWatching: Bool { underWay > 0 }

    /// An answer is on its way from now on.
    mutating func begin() { underWay += 1 }

    /// An answer came, or will not come.
    mutating func end() {
        underWay -= 1
        if underWay == 0 { self = ArrivalWatch() }
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
        arrivals.begin()
        defer { arrivals.end() }
        for _ in 0..<Limits.outdatedAnswers {
            let reply = try await cancellable(ask)
            if !arrivals.isOutdated(number(reply), about: tables) { return reply }
        }
        return try ask(CallCancellation())
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
