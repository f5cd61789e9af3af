import CofferStores
package import CofferWire
import Synchronization

/// Hears of the commits of a store.
///
/// Called by the leader of the commit, one call at a time; must not block.
package protocol StoreListener: AnyObject, Sendable {
    /// A transaction is durable; those before it were told before. The save's own completion is called right
    /// afterwards.
    func didCommit(_ transaction: TransactionMessage, of save: SaveSubmission)

    /// Another program has written a transaction into the file, with its history.
    func didFind(_ transaction: TransactionMessage)

    /// Another program has changed the file, and what it changed is unknown: what was read before may be
    /// stale.
    ///
    /// The last number is `number`.
    func didReload(at number: UInt64)

    /// All transactions of one commit were told and all its saves completed: send what was gathered.
    func didEndBatch()

    /// The store is about to be moved, which waits, for a time, until the notice is no longer kept; called
    /// on the thread that moves it.
    func willMove(_ notice: MoveNotice)

    /// Another store has its objects now, and nothing is saved into it any more; called on the thread that
    /// moved it.
    func didMove(to successor: StoreSuccessor)
}

extension StoreListener {
    package func willMove(_ notice: MoveNotice) {}

    package func didMove(to successor: StoreSuccessor) {}
}

/// Tells listeners of commits, in order and without gaps.
///
/// Shared. Only the leader of the commit queue delivers, so deliveries never overlap.
final class Feed: Sendable {
    private struct State {
        var listeners: [(id: Int, listener: any StoreListener)] = []
        var nextID = 1
        var number: UInt64
    }

    private let state: Mutex<State>

    init(number: UInt64) {
        state = Mutex(State(number: number))
    }

    var number: UInt64 { state.withLock { $0.number } }

    func add(_ listener: any StoreListener) -> (id: Int, number: UInt64) {
        state.withLock { state in
            defer { state.nextID += 1 }
            state.listeners.append((state.nextID, listener))
            return (state.nextID, state.number)
        }
    }

    func remove(_ id: Int) {
        state.withLock { $0.listeners.removeAll { $0.id == id } }
    }

    /// Tells the listeners what another program did.
    func deliver(_ change: ForeignChange) {
        let listeners = state.withLock { state in
            state.number = max(state.number, change.number)
            return state.listeners
        }
        for (_, listener) in listeners {
            for transaction in change.transactions { listener.didFind(transaction) }
            if change.isIncomplete { listener.didReload(at: change.number) }
            listener.didEndBatch()
        }
    }

    /// Tells the listeners of each transaction and completes its save, in order.
    func deliver(_ batch: CommittedBatch) {
        for member in batch.members {
            if case .success(let execution) = member.result, let transaction = execution.transaction {
                let listeners = state.withLock { state in
                    state.number = transaction.number
                    return state.listeners
                }
                for (_, listener) in listeners { listener.didCommit(transaction, of: member.save) }
            }
            member.save.complete(member.result)
        }
        for (_, listener) in state.withLock({ $0.listeners }) { listener.didEndBatch() }
    }

    /// Tells the listeners that the store is about to be moved.
    func announceMove(_ notice: MoveNotice) {
        for (_, listener) in state.withLock({ $0.listeners }) { listener.willMove(notice) }
    }

    /// Tells the listeners where the store's objects are now.
    func tellMove(to successor: StoreSuccessor) {
        for (_, listener) in state.withLock({ $0.listeners }) { listener.didMove(to: successor) }
    }
}
