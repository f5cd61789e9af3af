import CofferStores
import CofferWire
package import Synchronization

/// What happened in a store since it was opened, counted by all threads.
package final class StoreStatistics: Sendable {
    /// Calls of clients in other processes whose answers they wait for; none for a store in the process
    /// itself.
    package let roundTrips = Atomic<Int>(0)
    /// Fetch requests.
    package let fetches = Atomic<Int>(0)
    /// Fetches that ended early, since their answers were not waited for any more.
    package let interruptions = Atomic<Int>(0)
    /// Rows and relationships read by id.
    package let faults = Atomic<Int>(0)
    /// Saves that were committed.
    package let saves = Atomic<Int>(0)
    /// Saves that failed or had another outcome.
    package let refusals = Atomic<Int>(0)
    /// Commits: several saves may share one.
    package let commits = Atomic<Int>(0)
    /// Saves that the leader of the commits read from their channels.
    package let gatheredSaves = Atomic<Int>(0)
    /// Saves that were committed and could wait for everybody else.
    package let backgroundSaves = Atomic<Int>(0)
    /// How often background work ran at idle I/O priority.
    package let idleWork = Atomic<Int>(0)
    /// How often such work got the ordinary priority before its end, since something else waited for it.
    package let idleLifts = Atomic<Int>(0)
    /// How often another program had written into the file.
    package let foreignChanges = Atomic<Int>(0)
    /// Seconds since 2001-01-01 UTC of the last transaction, as bits of a double; 0 if there was none.
    private let lastSaveBits = Atomic<UInt64>(0)

    init() {}

    /// Seconds since 2001-01-01 UTC of the last transaction; `nil` if there was none.
    package var lastSave: Double? {
        let bits = lastSaveBits.load(ordering: .relaxed)
        return bits == 0 ? nil : Double(bitPattern: bits)
    }

    func count(_ batch: CommittedBatch) {
        var saved = 0
        for member in batch.members {
            guard case .success(let execution) = member.result, case .saved = execution.reply else {
                continue
            }
            saved += 1
            if let timestamp = execution.transaction?.timestamp {
                lastSaveBits.store(timestamp.bitPattern, ordering: .relaxed)
            }
        }
        commits.add(saved > 0 ? 1 : 0, ordering: .relaxed)
        saves.add(saved, ordering: .relaxed)
        refusals.add(batch.members.count - saved, ordering: .relaxed)
        if batch.hasBackgroundSaves { countBackground(batch) }
    }

    private func countBackground(_ batch: CommittedBatch) {
        for member in batch.members where member.save.request.isBackground {
            guard case .success(let execution) = member.result, case .saved = execution.reply else {
                continue
            }
            backgroundSaves.add(1, ordering: .relaxed)
        }
    }

    func count(_ event: CommitQueue.IdleEvent) {
        switch event {
        case .began: idleWork.add(1, ordering: .relaxed)
        case .lifted: idleLifts.add(1, ordering: .relaxed)
        }
    }
}
