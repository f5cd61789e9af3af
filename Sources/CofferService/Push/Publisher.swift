import CofferCoordination
import CofferWire
import Synchronization

/// Tells the sessions that use a store of its transactions, and answers its saves.
///
/// Shared. A client gets replies and pushes in the order of the transactions' numbers, with one write for all
/// of a commit.
final class Publisher: StoreListener {
    private let subscriptions = Mutex<[Entry]>([])
    private let isEnded = Atomic<Bool>(false)
    // Touched by the leader of the commit queue only, which the queue makes one at a time.
    private nonisolated(unsafe) var touched: [any Flushable] = []

    /// A subscription, and where its pushes go.
    struct Entry: Sendable {
        let subscription: Subscription
        let sink: any PushSink
    }

    /// Tells `subscription` of every transaction from now on, from `number` on; nothing if it was closed
    /// already.
    ///
    /// `false` if the store's end has begun.
    func add(_ subscription: Subscription, sink: any PushSink, number: () -> UInt64) -> Bool {
        subscriptions.withLock { entries in
            if isEnded.load(ordering: .relaxed) { return false }
            guard subscription.begin(at: number()) else { return true }
            entries.append(Entry(subscription: subscription, sink: sink))
            return true
        }
    }

    /// The subscriptions that are told at present.
    var entries: [Entry] { subscriptions.withLock { $0 } }

    /// Takes no more subscriptions; gives those that were told.
    func end() -> [Entry] {
        subscriptions.withLock { entries in
            isEnded.store(true, ordering: .relaxed)
            defer { entries = [] }
            return entries
        }
    }

    /// Tells `subscription` nothing any more.
    func remove(_ subscription: Subscription) {
        subscription.close()
        subscriptions.withLock { $0.removeAll { $0.subscription === subscription } }
    }

    /// How many sessions use the store.
    var count: Int { subscriptions.withLock { $0.count } }

    func didCommit(_ transaction: TransactionMessage, of save: SaveSubmission) {
        let told = EncodedTransaction(transaction)
        for entry in subscriptions.withLock({ $0 })
        where entry.subscription.offer(told, submitter: save.submitter) {
            touch(entry.sink)
        }
    }

    func didFind(_ transaction: TransactionMessage) {
        let told = EncodedTransaction(transaction)
        for entry in subscriptions.withLock({ $0 }) where entry.subscription.offer(told, submitter: 0) {
            touch(entry.sink)
        }
    }

    func didReload(at number: UInt64) {
        for entry in subscriptions.withLock({ $0 }) where entry.subscription.offerReload(at: number) {
            touch(entry.sink)
        }
    }

    /// Answers a save; the answer is sent with the pushes of its commit.
    func answer(_ address: ReplyAddress, with result: RPCResult) {
        if let flushable = address.enqueue(result) { touch(flushable) }
    }

    func didEndBatch() {
        let flushables = unsafe touched
        unsafe touched.removeAll(keepingCapacity: true)
        for flushable in flushables {
            flushable.flush()
            #if DEBUG
            CrashPoint.afterFirstSend.pass()
            #endif
        }
        #if DEBUG
        CrashPoint.afterSends.pass()
        #endif
    }

    private func touch(_ flushable: any Flushable) {
        if unsafe !touched.contains(where: { $0 === flushable }) { unsafe touched.append(flushable) }
    }
}

/// Has gathered something to send.
package protocol Flushable: AnyObject, Sendable {
    /// Sends it.
    func flush()
}
