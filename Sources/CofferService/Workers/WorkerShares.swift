import Synchronization

/// Shares the workers out, so that long calls of one client never keep others waiting.
///
/// A connection at whose calls no worker is gets the next that is free, unless its process or user has its part. One that has a worker gets
/// another only while some stay idle for others, and never all but those of the first; so does a process or user with all its
/// connections. Until then its work waits, and connections take turns. Shared by the workers; those that are idle are counted here.
package final class WorkerShares: Sendable {
    package typealias Work = @Sendable () -> Void

    private struct State {
        var work: [ObjectIdentifier: FIFO<Work>] = [:]
        /// Each connection whose work waits, once, in the order of their turns.
        var turns: FIFO<WorkShare> = []
    }

    private let state = Mutex(State())
    private let waitingCount = Atomic<Int>(0)
    /// How many workers are idle, and in the upper bits how often one became so.
    private let idle = Atomic<UInt64>(0)
    private static let rest: UInt64 = 1 << 16
    private let workers: Int
    private let allAreBusy: @Sendable () -> Void

    /// The shares of so many workers; those that are started besides, where these have no end, are for whoever has none.
    ///
    /// `allAreBusy` is called by a worker that was the last to be idle, and must not block.
    package init(of workers: Int, allAreBusy: @escaping @Sendable () -> Void = {}) {
        self.workers = workers
        self.allAreBusy = allAreBusy
    }

    /// Whether a worker waits for something to do.
    package var hasIdleWorker: Bool { Self.count(idle.load(ordering: .sequentiallyConsistent)) > 0 }

    /// How often a worker had nothing to do any more: where this stands still, all are at what they were at.
    package var restCount: UInt64 { idle.load(ordering: .relaxed) / Self.rest }

    private static func count(_ idle: UInt64) -> Int { Int(idle % rest) }
}

// MARK: On a worker that is at something

extension WorkerShares {
    /// Whether the worker may be at work of `share` now; then `end` follows.
    ///
    /// Where neither the connection nor its process or user has another worker, it costs two additions.
    package func begin(_ share: WorkShare) -> Bool {
        let own = share.running.add(1, ordering: .relaxed).oldValue
        let ofGroup = share.group?.running.add(1, ordering: .relaxed).oldValue ?? 0
        if own == 0, ofGroup == 0 { return true }
        let others = Self.count(idle.load(ordering: .sequentiallyConsistent))
        if mayBegin(own, ofGroup, of: share.group?.kind, others) { return true }
        end(share)
        return false
    }

    private func mayBegin(_ own: Int, _ ofGroup: Int, of group: WorkShare.Group?, _ others: Int) -> Bool {
        switch group {
        case nil: mayHave(another: own, others, besides: Limits.workersForOthers)
        // As many as one connection would get, or the first of each connection of some.
        case .process:
            own == 0 && ofGroup < Limits.workersOfProcess
                || mayHave(another: ofGroup, others, besides: Limits.workersForOthers)
        case .user:
            mayHave(another: own, others, besides: Limits.workersForOtherClients)
                && mayHave(another: ofGroup, others, besides: Limits.workersForOthers)
        }
    }

    private func mayHave(another own: Int, _ others: Int, besides rest: Int) -> Bool {
        own == 0 || own < workers - rest && others >= rest
    }

    /// The worker is at the work no more.
    package func end(_ share: WorkShare) {
        share.running.subtract(1, ordering: .relaxed)
        share.group?.running.subtract(1, ordering: .relaxed)
    }

    /// Lets work wait until `becomeIdle` or `takeLast` gives it to a worker.
    package func add(_ share: WorkShare, _ work: @escaping Work) {
        state.withLock { state in
            if state.work[ObjectIdentifier(share)]?.append(work) == nil {
                state.work[ObjectIdentifier(share)] = [work]
                state.turns.append(share)
            }
        }
        (share.group ?? share).waiting.add(1, ordering: .relaxed)
        // Before the worker that adds it is idle: whoever becomes idle last sees this and all others that are.
        waitingCount.add(1, ordering: .sequentiallyConsistent)
    }
}

// MARK: On a worker that is at nothing

extension WorkerShares {
    /// The worker waits from now on, until `becomeBusy`; or has work to do instead, and whether more waits.
    package func becomeIdle() -> (work: Work, hasMore: Bool)? {
        idle.wrappingAdd(1 + Self.rest, ordering: .sequentiallyConsistent)
        guard waitingCount.load(ordering: .sequentiallyConsistent) > 0 else { return nil }
        var isLast = false
        let work: (work: Work, hasMore: Bool)? = state.withLock { state in
            isLast = Self.count(idle.subtract(1, ordering: .sequentiallyConsistent).newValue) == 0
            if let work = take(from: &state, where: begin) { return work }
            idle.add(1, ordering: .sequentiallyConsistent)
            return nil
        }
        if work != nil, isLast { allAreBusy() }
        return work
    }

    /// The worker has something to do.
    package func becomeBusy() {
        let rest = idle.subtract(1, ordering: .sequentiallyConsistent).newValue
        if Self.count(rest) == 0 { allAreBusy() }
    }

    /// Work that waits, whose ever it is: for workers that are to end.
    func takeLast() -> Work? {
        state.withLock { state in
            take(from: &state) { share in
                share.running.add(1, ordering: .relaxed)
                share.group?.running.add(1, ordering: .relaxed)
                return true
            }
        }?.work
    }

    private func take(
        from state: inout State, where mayBegin: (WorkShare) -> Bool
    ) -> (work: Work, hasMore: Bool)? {
        for _ in 0..<state.turns.count {
            guard let share = state.turns.popFirst() else { return nil }
            guard mayBegin(share), let work = state.work[ObjectIdentifier(share)]?.popFirst() else {
                state.turns.append(share)
                continue
            }
            if state.work[ObjectIdentifier(share)]?.isEmpty ?? true {
                state.work[ObjectIdentifier(share)] = nil
            } else {
                state.turns.append(share)
            }
            (share.group ?? share).waiting.subtract(1, ordering: .relaxed)
            let rest = waitingCount.subtract(1, ordering: .sequentiallyConsistent).newValue
            return (
                { [self] in
                    work()
                    end(share)
                }, rest > 0
            )
        }
        return nil
    }
}
