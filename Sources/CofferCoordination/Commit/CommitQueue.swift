import CofferLinux
import CofferSQLite
package import CofferStores
import CofferWire
import Synchronization

/// Lets saves that wait at the same time share one commit, so that one flush to the disk serves them all.
///
/// Shared. The thread that submits while no other leads becomes the leader and commits until nothing waits;
/// all others return at once. There is no timer: a batch is what queued during the last commit, and what
/// comes while that is carried out. No save is answered before the commit has returned.
///
/// Background work waits for all other reads and writes; all other work waits for none: what comes while
/// background work is done gives its thread the ordinary priority at once.
package final class CommitQueue: Sendable {
    private enum Item: Sendable {
        case save(SaveSubmission)
        case maintenance(@Sendable (StoreWriter) -> Void, isBackground: Bool)
        /// Another program may have written into the file.
        case foreignCheck

        /// Whether it is work that is not needed soon.
        var isBackground: Bool {
            switch self {
            case .save(let submission): submission.request.isBackground
            case .maintenance(_, let isBackground): isBackground
            case .foreignCheck: false
            }
        }

        var isSave: Bool { if case .save = self { true } else { false } }

        /// Whether it may wait for everybody else's reads and writes.
        var isPatient: Bool { if case .foreignCheck = self { true } else { isBackground } }
    }

    private struct Batch {
        var items: [Item]
        var hasBackground: Bool
    }

    private struct State: Sendable {
        var waiting: [Item] = []
        var isLed = false
        /// Whether some of `waiting` may be background work.
        var hasBackground = false
        /// Set while the leader does background work alone.
        var idleness: IOPriority.Idleness?

        /// What is to be done next.
        mutating func takeBatch() -> [Item] {
            if waiting.count > Limits.batch {
                defer { waiting.removeFirst(Limits.batch) }
                return Array(waiting.prefix(Limits.batch))
            }
            defer { waiting = [] }
            return waiting
        }

        /// Lets the leader go on at the ordinary priority; `false` if it does already.
        ///
        /// Only under the lock is it certain whose priority that is.
        mutating func endIdling() -> Bool {
            idleness?.end()
            return idleness.take() != nil
        }
    }

    /// Deals with what another program has written, in `commitCount` transactions of SQLite if that is
    /// known.
    ///
    /// Some of them may be ours. With `isKnown`, a call that failed has told of some of it before.
    package typealias ForeignHandler =
        @Sendable (StoreWriter, _ commitCount: UInt32?, _ isKnown: Bool) throws(StoreError) -> Void

    /// The store that owns the queue; kept alive while a leader runs what it calls.
    private let owner = Mutex(Weak<PersistentStore>())
    private let state = Mutex(State())
    // Guarded by the lead: only the leader touches it, and `state.isLed` changes hands under the lock, which
    // orders the leaders' accesses.
    private nonisolated(unsafe) let writer: StoreWriter
    // Guarded by the lead, as `writer` is.
    private nonisolated(unsafe) var batches = 0
    // Guarded by the lead, as `writer` is.
    private nonisolated(unsafe) var nextPurge = Monotonic.now + Limits.betweenPurges
    private let watch: ForeignWatch
    private let foreignChanged: ForeignHandler
    /// What another program wrote and could not be looked into, if there is any.
    private let unresolved = Mutex<UnresolvedForeignCheck?>(nil)
    private let didCommit: @Sendable (CommittedBatch) -> Void
    private let didIdle: @Sendable (IdleEvent) -> Void
    private let source = Mutex<(any SaveSource)?>(nil)
    /// How long the last batch took, in nanoseconds.
    private let latestDuration = Atomic<UInt64>(0)
    private let maintenanceFailed: @Sendable (StoreError) -> Void

    /// A queue before `writer`, which belongs to the queue from now on.
    ///
    /// `didCommit` is called by the leader after each commit; it completes the saves, and must not block.
    /// `maintenanceFailed` is told why the log could not be moved into the file, or old history could not
    /// be deleted. `foreignChanged` is called, between commits, when another program has written into the
    /// file: before any save that comes after that. `didIdle` is called for each of its cases, and must not
    /// block.
    package init(
        writer: sending StoreWriter, maintenanceFailed: @escaping @Sendable (StoreError) -> Void,
        foreignChanged: @escaping ForeignHandler,
        didCommit: @escaping @Sendable (CommittedBatch) -> Void,
        didIdle: @escaping @Sendable (IdleEvent) -> Void
    ) {
        #if DEBUG
        CrashPoint.watchLargeValues(of: writer)
        #endif
        watch = ForeignWatch(SQLiteChangeCounter(of: writer.connection))
        unsafe self.writer = writer
        self.foreignChanged = foreignChanged
        self.maintenanceFailed = maintenanceFailed
        self.didCommit = didCommit
        self.didIdle = didIdle
    }

    /// The queue is that of `store`, which lives as long as anybody leads.
    func belong(to store: PersistentStore) { owner.withLock { $0.object = store } }

    /// Hands in a save; returns at once, or after leading, before which it calls `beforeLeading`.
    ///
    /// If `shouldYield` says, now and then, that the caller has something else to do, another thread leads
    /// on once the save is carried out.
    package func submit(
        _ submission: SaveSubmission, beforeLeading: () -> Void = {}, shouldYield: () -> Bool = { false }
    ) {
        enqueue(
            .save(submission), isBackground: submission.request.isBackground, beforeLeading: beforeLeading,
            shouldYield: shouldYield)
    }

    /// Hands in work for the writer other than a save; like a save, it runs between commits, outside every
    /// transaction.
    package func perform(
        isBackground: Bool = false, beforeLeading: () -> Void = {}, shouldYield: () -> Bool = { false },
        _ work: @escaping @Sendable (StoreWriter) -> Void
    ) {
        enqueue(
            .maintenance(work, isBackground: isBackground), isBackground: isBackground,
            beforeLeading: beforeLeading,
            shouldYield: shouldYield)
    }

    /// A thread that waits for its own work is needed elsewhere once that is done.
    private static func isWaiting() -> Bool { true }

    /// Does such work, and waits for what it gives.
    func performAndWait<Value: Sendable>(
        isBackground: Bool = false,
        _ work: @escaping @Sendable (StoreWriter) throws(StoreError) -> Value
    ) -> Result<Value, StoreError> {
        let result = ConditionLock<Result<Value, StoreError>?>(nil)
        perform(isBackground: isBackground, shouldYield: Self.isWaiting) { writer in
            let outcome: Result<Value, StoreError>
            do throws(StoreError) { outcome = .success(try work(writer)) } catch { outcome = .failure(error) }
            result.withLock { $0 = outcome }
            result.broadcast()
        }
        return result.wait { $0 }
    }

    /// Whether another program may have written into the file; while our own leader commits, always.
    package var mayBeForeign: Bool { watch.hasMoved }

    /// Gathers saves from `source` too from now on.
    package func pollSaves(from source: any SaveSource) { self.source.withLock { $0 = source } }

    /// How long the last batch took, in nanoseconds: what comes meanwhile is not gathered.
    package var latestBatchDuration: UInt64 { latestDuration.load(ordering: .relaxed) }

    /// Looks whether another program has written into the file.
    ///
    /// While a leader is at work, which looks with each batch, nothing is done unless `isUrgent`.
    package func checkForForeignChanges(isUrgent: Bool) {
        guard watch.hasMoved, isUrgent || !isLed else { return }
        // A reader would wait for another program's lock each time; the next save looks again anyway.
        if !isUrgent, unresolved.withLock({ $0?.mayWait(at: watch.position) ?? false }) { return }
        enqueue(.foreignCheck, isBackground: true, beforeLeading: {}, shouldYield: Self.isWaiting)
    }

    /// Whether a thread leads at the moment, and takes what is handed in now.
    package var isLed: Bool { state.withLock { $0.isLed } }

    /// How many saves wait for the commit that runs at the moment.
    package var waitingSaves: Int { state.withLock { $0.waiting.count(where: \.isSave) } }

    private func enqueue(
        _ item: Item, isBackground: Bool, beforeLeading: () -> Void, shouldYield: () -> Bool
    ) {
        let (leads, lifts) = state.withLock { state in
            state.waiting.append(item)
            if isBackground { state.hasBackground = true }
            if state.isLed { return (false, !isBackground && state.endIdling()) }
            state.isLed = true
            return (true, false)
        }
        if lifts { didIdle(.lifted) }
        if leads {
            beforeLeading()
            lead(shouldYield)
        }
    }

    /// Carries out what waits until nothing does, or the leader is needed elsewhere.
    ///
    /// The first batch is what the leader itself has handed in, since nothing waits while no thread leads.
    private func lead(_ shouldYield: () -> Bool) {
        let source = source.withLock { $0 }
        while true {
            source?.poll()
            let begin = Monotonic.now
            let batch = state.withLock { state in
                let items = state.takeBatch()
                defer { if state.waiting.isEmpty { state.hasBackground = false } }
                return Batch(items: items, hasBackground: state.hasBackground)
            }
            if batch.items.isEmpty {
                if source?.spinForNext(while: { isIdle }) ?? false { continue }
                if !endLeading() { continue }
                source?.stopPolling()
                return
            }
            // Such work may take long.
            if batch.hasBackground || !batch.items.allSatisfy(\.isSave) { source?.stopPolling() }
            if batch.hasBackground { runIdly(batch) } else { run(batch) }
            latestDuration.store(Monotonic.now - begin, ordering: .relaxed)
            if shouldYield() {
                let isOver = endLeading()
                source?.stopPolling()
                if isOver || startLeaderThread() { return }
            }
        }
    }

    /// Lets a thread of its own lead on; `false` if the system has none.
    private func startLeaderThread() -> Bool {
        guard let store = owner.withLock({ $0.object }) else { return false }
        do throws(LinuxError) {
            _ = try WorkerThread(name: "leader") { [self] in
                withExtendedLifetime(store) { lead { false } }
            }
            return true
        } catch {
            return false
        }
    }

    private var isIdle: Bool { state.withLock { $0.waiting.isEmpty } }

    /// Gives up leading, so that the next thread that hands something in leads; `false` if something was
    /// handed in just now.
    private func endLeading() -> Bool {
        state.withLock { state in
            if state.waiting.isEmpty { state.isLed = false }
            return !state.isLed
        }
    }

    /// Runs a batch at idle priority if all that waits is background work.
    private func runIdly(_ batch: Batch) {
        guard batch.items.allSatisfy(\.isPatient), batch.items.contains(where: \.isBackground),
            let idleness = IOPriority.beginIdling()
        else { return run(batch) }
        state.withLock { state in
            state.idleness = idleness
            if !state.waiting.allSatisfy(\.isPatient) { _ = state.endIdling() }
        }
        didIdle(.began)
        run(batch)
        _ = state.withLock { $0.endIdling() }
    }

    private func run(_ batch: Batch) {
        var saves: [SaveSubmission] = []
        for item in batch.items {
            switch item {
            case .save(let submission): saves.append(submission)
            case .maintenance(let work, _):
                commit(saves, of: batch)
                saves = []
                unsafe work(writer)
                _ = checkForeignChanges()
            case .foreignCheck: _ = checkForeignChanges()
            }
        }
        commit(saves, of: batch)
        unsafe batches += 1
        if unsafe batches % Limits.batchesPerPurge == 0 || Monotonic.now >= nextPurge { purge() }
        let isCheckpointDue = unsafe writer.isCheckpointDue
        if isCheckpointDue { source.withLock { $0 }?.stopPolling() }
        #if DEBUG
        CrashPoint.beforeCheckpoint.pass()
        unsafe CrashPoint.duringCheckpoint.breakWrites(of: writer)
        defer { CrashPoint.afterCheckpoint.pass() }
        #endif
        // A checkpoint that fails is tried again after the next commit: what was committed stays in the log.
        do throws(StoreError) {
            try unsafe writer.checkpointIfNeeded()
        } catch {
            #if DEBUG
            CrashPoint.duringCheckpoint.pass()
            #endif
            maintenanceFailed(error)
        }
        if isCheckpointDue { releaseFreePages() }
    }

    /// Gives pages back to the file system that deleted objects have left: as often as the log is moved into
    /// the file, which is after some thousand pages, and history purged.
    ///
    /// As long as nothing waits, more go.
    private func releaseFreePages() {
        do throws(StoreError) {
            for round in 0..<Limits.releases where round == 0 || isIdle {
                if try unsafe writer.releaseFreePages() == 0 { break }
                _ = checkForeignChanges()
            }
        } catch {
            maintenanceFailed(error)
        }
    }

    private func purge() {
        unsafe nextPurge = Monotonic.now + Limits.betweenPurges
        // History that could not be deleted is deleted the next time.
        do throws(StoreError) { try unsafe writer.purgeHistory() } catch { maintenanceFailed(error) }
        releaseFreePages()
    }

    /// Looks whether another program has written into the file; what we did to it ourselves is settled by
    /// that.
    ///
    /// Gives why that could not be found out; then it is looked for with the next call.
    private func checkForeignChanges() -> StoreError? {
        var rounds = 0
        while watch.hasMoved, rounds < Limits.foreignRounds {
            rounds += 1
            let position = watch.position
            let isKnown = unresolved.withLock { $0?.isTold(at: position) ?? false }
            var isTold = isKnown
            do throws(StoreError) {
                if try unsafe writer.hasForeignChanges() {
                    isTold = true
                    try unsafe foreignChanged(writer, watch.unexplainedCount(upTo: position), isKnown)
                }
            } catch {
                unsafe writer.forgetForeignLook()
                unresolved.withLock { $0 = UnresolvedForeignCheck(position: position, isTold: isTold) }
                maintenanceFailed(error)
                return error
            }
            unresolved.withLock { $0 = nil }
            watch.didReview(at: position)
        }
        return nil
    }

    private func commit(_ saves: [SaveSubmission], of batch: Batch) {
        if saves.isEmpty { return }
        unsafe GroupCommit(
            writer: writer, saves: saves, watch: watch, checkForeignChanges: checkForeignChanges,
            late: admitLate
        )
        .run { members in
            #if DEBUG
            CrashPoint.afterCommit.pass()
            #endif
            didCommit(
                CommittedBatch(
                    members: members, hasBackgroundSaves: batch.hasBackground,
                    logByteCount: unsafe writer.logByteCount))
        }
        _ = checkForeignChanges()
    }

    /// Saves that wait, and before which nothing else does, while nothing is background work.
    private func admitLate(_ count: Int) -> [SaveSubmission] {
        source.withLock { $0 }?.poll()
        return state.withLock { state in
            if state.waiting.isEmpty || state.hasBackground { return [] }
            var saves: [SaveSubmission] = []
            for case .save(let save) in state.waiting.prefix(while: \.isSave).prefix(count) {
                saves.append(save)
            }
            state.waiting.removeFirst(saves.count)
            return saves
        }
    }
}

extension CommitQueue {
    /// What happens to background work.
    package enum IdleEvent: Sendable {
        /// The work begins, at idle I/O priority.
        case began
        /// Something else waits for it, and it goes on at the ordinary priority.
        case lifted
    }
}

/// One save, and what became of it.
package struct CommittedSave: Sendable {
    package let save: SaveSubmission
    package let result: SaveResult
}

/// The saves of one commit in their order, with what became of each.
///
/// The receiver completes each member, in this order.
package struct CommittedBatch: Sendable {
    /// In the order in which they were committed.
    package let members: [CommittedSave]
    /// Whether some of them may be background saves.
    let hasBackgroundSaves: Bool
    /// Bytes in the log after the commit, about.
    let logByteCount: Int
}
