internal import CofferLinux
internal import FoundationEssentials

/// What a context merged and saved while answers were on their way to it, whose rows may be older.
///
/// Empty, and told nothing, while none is.
struct ArrivalWatch {
    private var underWay = 0
    /// The last transaction that changed something in each inheritance tree of a store.
    private var changes: [ObjectReference.Table: UInt64] = [:]
    /// The last transaction of each store up to which anything may have changed.
    private var reloads: [Int16: UInt64] = [:]
    /// The end of the last answer on its way, if a task waits for it.
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

    /// Whether an answer about inheritance trees, as they were after a transaction, is older than what was
    /// taken in meanwhile.
    func isOutdated(_ number: UInt64, about tables: [ObjectReference.Table]) -> Bool {
        tables.contains { number < max(changes[$0] ?? 0, reloads[$0.store] ?? 0) }
    }
}

/// Which state of which file a context shows of a store.
private struct ShownState: Equatable {
    let uuid: UUID
    let handle: UInt32
    /// 0 if none is pinned.
    let generation: UInt64
}

extension ManagedObjectContext {
    /// Asks a store without blocking the context's actor, until the answer has all that was merged and saved
    /// here meanwhile.
    ///
    /// The actor does nothing else between the answer's arrival and the return, so that the caller may take
    /// it in as it is. If others change the same inheritance trees all the time, `Limits.outdatedAnswers`
    /// attempts fail, and one more is made for which the actor waits. An answer that shows another state
    /// than the context does by then, or that comes from a file that was exchanged, does not count: the
    /// question is asked again.
    /// - Parameters:
    ///   - tables: What the answer is about, all in one store.
    ///   - number: The transaction after which the answer was true.
    ///   - prepare: Makes the request for the state that the context shows. The closure it returns asks the
    ///     store, on other threads, and for the last attempt on this one.
    /// - Returns: The answer.
    /// - Throws: `CancellationError` if the task is cancelled, else whatever the request threw.
    func currentAnswer<Reply: Sendable>(
        about tables: [ObjectReference.Table], number: (Reply) -> UInt64,
        _ prepare: () -> @Sendable (CallCancellation) throws(CofferError) -> Reply
    ) async throws -> Reply {
        try await letReleasesGo()
        arrivals.begin()
        defer { arrivals.end() }
        for _ in 0..<Limits.outdatedAnswers {
            let shown = shownState(of: tables[0].store)
            let reply: Reply
            do {
                reply = try await cancellable(prepare())
            } catch let error as CofferError where shownState(of: tables[0].store) != shown {
                if Task.isCancelled { throw error }
                continue
            } catch let error as CofferError where error.isOfExchange && takeExchanges() {
                continue
            }
            guard shownState(of: tables[0].store) == shown else { continue }
            // What is pinned is older on purpose.
            if shown.generation != 0 || !arrivals.isOutdated(number(reply), about: tables) { return reply }
        }
        return try prepare()(CallCancellation())
    }

    private func shownState(of store: Int16) -> ShownState {
        let description = registry.stores[Int(store)]
        return ShownState(
            uuid: description.uuid, handle: description.handle, generation: generation(of: store))
    }

    /// If many releases wait for a moment without an answer on its way, waits for that moment too, and
    /// sends them.
    ///
    /// Answers that overlap all the time would leave no such moment. Those on their way do not wait for
    /// others, and so come to an end.
    private func letReleasesGo() async throws {
        while arrivals.isWatching, unsafe registry.releasedCount > Limits.waitingReleases {
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
