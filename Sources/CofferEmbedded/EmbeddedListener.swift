import Coffer
import CofferCoordination
import CofferLinux
import CofferStores
import CofferWire
import Synchronization

/// Hears of one store's commits for the coordinator.
final class EmbeddedListener: StoreListener {
    private let handle: UInt32
    private let coordinator: Mutex<Weak<EmbeddedCoordinator>>

    init(handle: UInt32, coordinator: EmbeddedCoordinator) {
        self.handle = handle
        self.coordinator = Mutex(Weak(coordinator))
    }

    func didCommit(_ transaction: TransactionMessage, of save: SaveSubmission) {
        coordinator.withLock { $0.object }?.notify(transaction, store: handle, submitter: save.submitter)
    }

    func didFind(_ transaction: TransactionMessage) {
        coordinator.withLock { $0.object }?.notify(transaction, store: handle, submitter: nil)
    }

    func didReload(at number: UInt64) {
        coordinator.withLock { $0.object }?.notify(.reload(store: handle, number: number))
    }

    func didEndBatch() {
        // Every transaction was told at once.
    }

    func willMove(_ notice: MoveNotice) {
        let told = StoresNotice { withExtendedLifetime(notice) {} }
        coordinator.withLock { $0.object }?.notify(.storesWillChange(told))
    }

    func didMove(to successor: StoreSuccessor) {
        coordinator.withLock { $0.object }?.goOn(from: handle, with: successor)
    }
}
