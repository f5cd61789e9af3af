import CofferLinux
import CofferSQLite
package import CofferStores
import Synchronization

/// Lets saves that wait at the same time share one commit, so that one flush to the disk serves them all.
///
/// Shared. Whoever submits while nobody leads becomes the leader and commits until nothing waits; all others return at once. There is
/// no timer: a batch is what queued during the last commit. Nobody is answered before the commit has returned.
package final class CommitQueue: Sendable {
    private enum Item: Sendable {
        case save(SaveSubmission)
        case maintenance(@Sendable (StoreWriter) -> Void)
        /// Somebody else may have written into the file.
        case look
    }

    private struct State: Sendable {
        var waiting: [Item] = []
        var isLed = false
    }

    private let state = Mutex(State())
    // Touched by the leader alone: `state.isLed` changes hands under the lock, which orders their accesses.
    private nonisolated(unsafe) let writer: StoreWriter
    // The leader's alone too.
    private nonisolated(unsafe) var batches = 0
    private let watch: ForeignWatch
    private let foreignChanged: @Sendable (StoreWriter) -> Void
    private let didCommit: @Sendable (CommittedBatch) -> Void
    private let maintenanceFailed: @Sendable (StoreError) -> Void

    /// A queue before `writer`, which belongs to the queue from now on.
    ///
    /// `didCommit` is called by the leader after each commit; it completes the saves, and must not block. `maintenanceFailed` is told why
    /// the log could not be moved into the file, or old history not be deleted. `foreignChanged` is called, between commits, when somebody
    /// else has written into the file: before any save that comes after that.
    package init(
        writer: sending StoreWriter, maintenanceFailed: @escaping @Sendable (StoreError) -> Void,
        foreignChanged: @escaping @Sendable (StoreWriter) -> Void,
        didCommit: @escaping @Sendable (CommittedBatch) -> Void
    ) {
        watch = ForeignWatch(SQLiteChangeCounter(of: writer.connection))
        unsafe self.writer = writer
        self.foreignChanged = foreignChanged
        self.maintenanceFailed = maintenanceFailed
        self.didCommit = didCommit
    }

    /// Hands in a save; returns at once, or after leading.
    package func submit(_ submission: SaveSubmission) {
        enqueue(.save(submission))
    }

    /// Hands in work for the writer that is no save: it runs between commits, outside every transaction.
    package func perform(_ work: @escaping @Sendable (StoreWriter) -> Void) {
        enqueue(.maintenance(work))
    }

    /// Does such work, and waits for what it gives.
    func performAndWait<Value: Sendable>(
        _ work: @escaping @Sendable (StoreWriter) throws(StoreError) -> Value
    ) -> Result<Value, StoreError> {
        let result = ConditionLock<Result<Value, StoreError>?>(nil)
        perform { writer in
            let outcome: Result<Value, StoreError>
            do throws(StoreError) { outcome = .success(try work(writer)) } catch { outcome = .failure(error) }
            result.withLock { $0 = outcome }
            result.broadcast()
        }
        return result.wait { $0 }
    }

    /// Whether somebody else may have written into the file; while our own leader commits, always.
    package var mayBeForeign: Bool { watch.hasMoved }

    /// Looks whether somebody else has written into the file.
    ///
    /// While a leader is at work, who looks with each batch, nothing is done unless `isUrgent`.
    package func lookForForeignChanges(isUrgent: Bool) {
        if watch.hasMoved, isUrgent || !isLed { enqueue(.look) }
    }

    /// Whether somebody leads at the moment, and takes what is handed in now.
    package var isLed: Bool { state.withLock { $0.isLed } }

    private func enqueue(_ item: Item) {
        let leads = state.withLock { state in
            state.waiting.append(item)
            if state.isLed { return false }
            state.isLed = true
            return true
        }
        if leads { lead() }
    }

    private func lead() {
        while true {
            let batch = state.withLock { state in
                let batch = Array(state.waiting.prefix(Limits.batch))
                state.waiting.removeFirst(batch.count)
                if batch.isEmpty { state.isLed = false }
                return batch
            }
            if batch.isEmpty { return }
            run(batch)
        }
    }

    private func run(_ batch: [Item]) {
        var saves: [SaveSubmission] = []
        for item in batch {
            switch item {
            case .save(let submission): saves.append(submission)
            case .maintenance(let work):
                commit(saves)
                saves = []
                unsafe work(writer)
                look()
            case .look: look()
            }
        }
        commit(saves)
        unsafe batches += 1
        if unsafe batches % Limits.batchesPerPurge == 0 { purge() }
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
    }

    private func purge() {
        // History that could not be deleted is deleted the next time.
        do throws(StoreError) { try unsafe writer.purgeHistory() } catch { maintenanceFailed(error) }
    }

    /// Looks whether somebody else has written into the file; what we did to it ourselves is settled by that.
    private func look() {
        var rounds = 0
        while watch.hasMoved, rounds < Limits.foreignRounds {
            rounds += 1
            let position = watch.position
            do throws(StoreError) {
                if try unsafe writer.hasForeignChanges() { unsafe foreignChanged(writer) }
            } catch {
                return maintenanceFailed(error)  // Looked at again with the next call.
            }
            watch.settle(at: position)
        }
    }

    private func commit(_ saves: [SaveSubmission]) {
        if saves.isEmpty { return }
        let results = unsafe GroupCommit(writer: writer, saves: saves, watch: watch, look: look).run()
        #if DEBUG
        CrashPoint.afterCommit.pass()
        #endif
        didCommit(CommittedBatch(members: Array(zip(saves, results))))
        look()
    }
}

/// The saves of one commit in their order, with what became of each.
///
/// Who gets it completes each member, in this order.
package struct CommittedBatch: Sendable {
    /// In the order in which they were committed.
    package let members: [(save: SaveSubmission, result: SaveResult)]
}
