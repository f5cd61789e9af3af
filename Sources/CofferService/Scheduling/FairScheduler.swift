import Synchronization

/// Shares the workers out, so that long calls of one client never keep others waiting.
///
/// A connection at whose calls no worker is gets the next that is free, unless its client or user has its
/// part. One that has a worker gets another only while some stay idle for others, and never all but those of
/// the first; so does a client or user with all its connections. Until then its work waits: clients or users
/// take turns, and each lets its connections take turns. Shared by the workers; those that are idle are
/// counted here.
package final class FairScheduler: Sendable {
    package typealias Work = @Sendable () -> Void

    fileprivate struct State {
        var work: [ObjectIdentifier: FIFO<Work>] = [:]
        /// By group, each of its connections whose work waits, once, in the order of their turns.
        var connections: [ObjectIdentifier: FIFO<WorkAccount>] = [:]
        /// Each group whose work waits, once, in the order of their turns; a connection without one is its
        /// own.
        var turns: FIFO<WorkAccount> = []
    }

    private let state = Mutex(State())
    private let waitingCount = Atomic<Int>(0)
    /// How many workers are idle, and in the upper bits how often one became so.
    private let idle = Atomic<UInt64>(0)
    private static let rest: UInt64 = 1 << 16
    private let workers: Int
    private let allAreBusy: @Sendable () -> Void

    /// The shares of so many workers.
    ///
    /// Workers that are started besides, because these stay busy, are for shares that have no worker.
    ///
    /// `allAreBusy` is called by a worker that was the last to be idle, and must not block.
    package init(of workers: Int, allAreBusy: @escaping @Sendable () -> Void = {}) {
        self.workers = workers
        self.allAreBusy = allAreBusy
    }

    /// Whether a worker waits for something to do.
    package var hasIdleWorker: Bool { Self.count(idle.load(ordering: .sequentiallyConsistent)) > 0 }

    /// How often a worker had nothing to do any more: while this stands still, all workers are at the same
    /// work.
    package var restCount: UInt64 { idle.load(ordering: .relaxed) / Self.rest }

    private static func count(_ idle: UInt64) -> Int { Int(idle % rest) }
}

// MARK: On a worker that is at something

extension FairScheduler {
    /// Whether the worker may be at work of `share` now; then `end` follows.
    ///
    /// If neither the connection nor its client or user has another worker, it costs two additions.
    package func begin(_ share: WorkAccount) -> Bool {
        let own = share.running.add(1, ordering: .relaxed).oldValue
        let ofGroup = share.group?.running.add(1, ordering: .relaxed).oldValue ?? 0
        if own == 0, ofGroup == 0 { return true }
        let others = Self.count(idle.load(ordering: .sequentiallyConsistent))
        if mayBegin(own: own, grouped: ofGroup, of: share.group?.kind, others: others) { return true }
        end(share)
        return false
    }

    private func mayBegin(own: Int, grouped ofGroup: Int, of group: WorkAccount.Group?, others: Int) -> Bool {
        switch group {
        case nil: mayHave(another: own, others, besides: Limits.workersForOthers)
        // As many as one connection would get, or the first of each connection of some.
        case .client:
            own == 0 && ofGroup < Limits.workersOfClient
                || mayHave(another: ofGroup, others, besides: Limits.workersForOthers)
        case .user:
            mayHave(another: own, others, besides: Limits.workersForOtherClients)
                && mayHave(another: ofGroup, others, besides: Limits.workersForOthers)
        }
    }

    private func mayHave(another own: Int, _ others: Int, besides rest: Int) -> Bool {
        own == 0 || own < workers - rest && others >= rest
    }

    /// Ends the worker's part in the work.
    package func end(_ share: WorkAccount) {
        share.running.subtract(1, ordering: .relaxed)
        share.group?.running.subtract(1, ordering: .relaxed)
    }

    /// Lets work wait until `becomeIdle` or `takeLast` gives it to a worker.
    package func add(_ share: WorkAccount, _ work: @escaping Work) {
        state.withLock { state in
            if state.work[ObjectIdentifier(share)]?.append(work) == nil {
                state.work[ObjectIdentifier(share)] = [work]
                state.wait(share)
            }
        }
        (share.group ?? share).waiting.add(1, ordering: .relaxed)
        // Before the worker that adds it is idle: the worker that becomes idle last sees this work and all
        // other work that waits.
        waitingCount.add(1, ordering: .sequentiallyConsistent)
    }
}

// MARK: On a worker that is at nothing

extension FairScheduler {
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
        from state: inout State, where mayBegin: (WorkAccount) -> Bool
    ) -> (work: Work, hasMore: Bool)? {
        for _ in 0..<state.turns.count {
            guard let group = state.turns.popFirst() else { return nil }
            let taken = state.take(of: group, looks: looks, where: mayBegin)
            if state.connections[ObjectIdentifier(group)] != nil { state.turns.append(group) }
            guard let (share, work) = taken else { continue }
            group.waiting.subtract(1, ordering: .relaxed)
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

    /// How many connections of a group are looked at: if all these may not begin, the group has its share,
    /// since only so many can have workers.
    private var looks: Int { max(workers, Limits.workersOfClient) + 1 }
}

extension FairScheduler.State {
    /// Gives a connection that has work its turn after those of its group, and the group after others.
    fileprivate mutating func wait(_ share: WorkAccount) {
        let group = share.group ?? share
        if connections[ObjectIdentifier(group)]?.append(share) == nil {
            connections[ObjectIdentifier(group)] = [share]
            turns.append(group)
        }
    }

    /// Takes the first work of a group that may begin; the group keeps no turn if nothing of it is left.
    fileprivate mutating func take(
        of group: WorkAccount, looks: Int, where mayBegin: (WorkAccount) -> Bool
    ) -> (share: WorkAccount, work: FairScheduler.Work)? {
        let place = ObjectIdentifier(group)
        for _ in 0..<min(looks, connections[place]?.count ?? 0) {
            guard let share = connections[place]?.popFirst() else { return nil }
            guard mayBegin(share), let work = self.work[ObjectIdentifier(share)]?.popFirst() else {
                connections[place]?.append(share)
                continue
            }
            if self.work[ObjectIdentifier(share)]?.isEmpty ?? true {
                self.work[ObjectIdentifier(share)] = nil
            } else {
                connections[place]?.append(share)
            }
            if connections[place]?.isEmpty ?? true { connections[place] = nil }
            return (share, work)
        }
        return nil
    }
}
