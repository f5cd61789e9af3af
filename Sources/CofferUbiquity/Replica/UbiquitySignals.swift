internal import CofferContainer
package import CofferCoordination
internal import CofferLinux
package import CofferWire
internal import Synchronization

/// What the thread of the work shares with everybody else.
package final class UbiquitySignals: StoreListener, Sendable {
    private let shown = Mutex(UbiquityStatus())
    private let pulse = Mutex(Weak<ContainerPulse>(nil))
    private let work = ConditionLock(Work())
    /// When the first and the last save came that are not folded.
    let saves = Mutex<(first: UInt64, last: UInt64)?>(nil)

    /// Whether the file was written to without history, and rows were not compared since.
    let isForeign = Atomic<Bool>(false)

    /// What the thread of the work is at.
    private struct Work {
        var isOver = false
        var isUnderWay = false
        /// How many are at the store's file.
        var inStoreCount = 0
        /// How often it was over, having looked at all of the container.
        var wholeRounds = 0
    }

    /// Has saves hurry a pulse from now on.
    func hurry(through object: ContainerPulse) { pulse.withLock { $0.object = object } }

    package init() {}

    /// What is to be shown of the store.
    package var status: UbiquityStatus { shown.withLock { $0 } }

    /// Shows something else from now on.
    func show(_ status: UbiquityStatus) {
        work.withLock { _ in shown.withLock { $0 = status } }
        work.broadcast()
    }

    /// Whether nothing more is to be done.
    var isOver: Bool { work.withLock { $0.isOver } }

    /// Notes that the work is under way; `false` if it is over.
    func beginWork() -> Bool {
        work.withLock { work in
            work.isUnderWay = !work.isOver
            return work.isUnderWay
        }
    }

    /// Notes that the work is over for now.
    ///
    /// - Parameter isWhole: Whether all of the container was to be looked at.
    func endWork(isWhole: Bool) {
        work.withLock { work in
            work.isUnderWay = false
            if isWhole { work.wholeRounds += 1 }
        }
        work.broadcast()
    }

    /// Notes that the work is at the store's file; `false` if it is over.
    func enterStore() -> Bool {
        work.withLock { work in
            if !work.isOver { work.inStoreCount += 1 }
            return !work.isOver
        }
    }

    func leaveStore() {
        work.withLock { $0.inStoreCount -= 1 }
        work.broadcast()
    }

    /// Makes the work end, and waits until it has left the store's file, which it does not touch again.
    func end() {
        work.withLock { $0.isOver = true }
        work.broadcast()
        work.wait { $0.inStoreCount > 0 ? nil : () }
    }

    /// Waits until the work is over.
    func waitUntilOver(timeout: Duration) { _ = work.wait(timeout: timeout) { $0.isOver ? true : nil } }

    /// Waits until nothing is under way: whether that was so in time.
    func waitUntilIdle(timeout: Duration) -> Bool {
        work.wait(timeout: timeout) { $0.isUnderWay ? nil : true } ?? false
    }

    /// Asks for the work once more, and waits until it is done; tells whether that was so in time.
    func finishRound(timeout: Duration) -> Bool {
        // What is under way may have looked already.
        let wanted = work.withLock { $0.wholeRounds + ($0.isUnderWay ? 2 : 1) }
        pulse.withLock { $0.object }?.hurry()
        return work.wait(timeout: timeout) { work in
            work.wholeRounds >= wanted ? true : work.isOver ? false : nil
        } ?? false
    }

    /// Waits until all transactions up to one are folded: whether that was so in time.
    func waitUntilFolded(_ number: UInt64, timeout: Duration) -> Bool {
        pulse.withLock { $0.object }?.hurrySave()
        return work.wait(timeout: timeout) { work in
            if shown.withLock({ $0.folded }) >= number { return true }
            return work.isOver ? false : nil
        } ?? false
    }

    package func didCommit(_ transaction: TransactionMessage, of save: SaveSubmission) {
        if transaction.origin != .import { noteSave() }
    }

    package func didFind(_ transaction: TransactionMessage) { noteSave() }

    package func didReload(at number: UInt64) {
        isForeign.store(true, ordering: .releasing)
        noteSave()
    }

    package func didEndBatch() {}

    private func noteSave() {
        let now = Monotonic.now
        saves.withLock { $0 = ($0?.first ?? now, now) }
        pulse.withLock { $0.object }?.hurrySave()
    }
}
