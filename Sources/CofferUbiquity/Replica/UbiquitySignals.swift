internal import CofferContainer
package import CofferCoordination
internal import CofferLinux
package import CofferWire
internal import Synchronization

/// What the thread of the work shares with everybody else.
package final class UbiquitySignals: StoreListener, Sendable {
    private let shown = Mutex(UbiquityStatus())
    private let pulse = Mutex(Weak<ContainerPulse>(nil))
    let isWorking = ConditionLock(false)
    /// When the first and the last save came that are not folded.
    let saves = Mutex<(first: UInt64, last: UInt64)?>(nil)
    private let hasEnded = Atomic<Bool>(false)

    /// Has saves hurry a pulse from now on.
    func hurry(through object: ContainerPulse) { pulse.withLock { $0.object = object } }

    package init() {}

    /// What is to be shown of the store.
    package var status: UbiquityStatus { shown.withLock { $0 } }

    /// Shows something else from now on.
    func show(_ status: UbiquityStatus) { shown.withLock { $0 = status } }

    /// Whether nothing more is to be done.
    var isOver: Bool { hasEnded.load(ordering: .acquiring) }

    func end() { hasEnded.store(true, ordering: .releasing) }

    package func didCommit(_ transaction: TransactionMessage, of save: SaveSubmission) {
        if transaction.origin != .import { noteSave() }
    }

    package func didFind(_ transaction: TransactionMessage) { noteSave() }

    package func didReload(at number: UInt64) { noteSave() }

    package func didEndBatch() {}

    private func noteSave() {
        let now = Monotonic.now
        saves.withLock { $0 = ($0?.first ?? now, now) }
        pulse.withLock { $0.object }?.hurry()
    }
}
