package import CofferCoordination
import CofferModel
package import CofferStores
import CofferUbiquity
package import CofferWire
import Synchronization

/// One session's use of one store: its handle, what it holds of the store, and how far its feed has come.
package final class Subscription: Sendable {
    private struct State {
        var feed: SubscriptionFeed
        /// States of the store that the client has pinned.
        var generations: Set<UInt64> = []
    }

    /// What the client calls the store by.
    let handle: UInt32
    /// The store.
    let store: ServedStore
    /// Whether nothing may be written.
    let isReadOnly: Bool
    /// Whether nothing may be written while no account is signed in.
    private let needsAccount: Bool
    /// The number of the session that the subscription belongs to.
    let session: UInt64
    private let sink: any PushSink
    private let holder: RowHolder
    /// Whether the client wants to be told once when its shared store is further.
    private let awaitsSync = Atomic<Bool>(false)
    private let state: Mutex<State>

    /// The use that `session` makes of a store that its client calls by `handle`; pushes go to `sink`.
    ///
    /// Its maker closes it.
    package init(
        handle: UInt32, store: ServedStore, isReadOnly: Bool, needsAccount: Bool = false, watches: Bool,
        session: UInt64, sink: any PushSink
    ) {
        self.handle = handle
        self.store = store
        (self.isReadOnly, self.needsAccount) = (isReadOnly, needsAccount)
        self.session = session
        self.sink = sink
        holder = store.persistentStore.cache.makeHolder()
        state = Mutex(State(feed: SubscriptionFeed(handle: handle, watches: watches)))
    }

    /// Begins the feed at `number`; `false` if the session has ended already.
    package func begin(at number: UInt64) -> Bool {
        state.withLock { $0.feed.begin(at: number) }
    }

    /// Reads rows that the client will hold.
    ///
    /// A commit between the reading and the noting is told too: the client compares its number with the
    /// reply's.
    package func reading<Reply, Failure>(
        _ body: (RowCache.Ticket) throws(Failure) -> Reply
    ) throws(Failure) -> Reply {
        state.withLock { $0.feed.reads += 1 }
        defer { state.withLock { $0.feed.reads -= 1 } }
        return try body(store.persistentStore.beginReading())
    }

    /// Whether the client can no longer use it, so that work for it need not go on.
    package var isClosed: Bool { state.withLock { $0.feed.isClosed } }

    /// Has the client told, once, when its shared store is further.
    func awaitSync() { awaitsSync.store(true, ordering: .sequentiallyConsistent) }

    /// Whether the client waits to be told that; from then on it does not.
    func takeSyncWait() -> Bool { awaitsSync.exchange(false, ordering: .sequentiallyConsistent) }

    /// Announces every change from now on, or only those of held rows.
    package func watch(_ watches: Bool) {
        state.withLock { $0.feed.watches = watches }
    }

    /// Announces nothing any more, and keeps nothing.
    package func close() {
        let generations = state.withLock { state in
            state.feed.isClosed = true
            return state.generations
        }
        for generation in generations { store.persistentStore.unpin(generation) }
        holder.close()
    }

    /// Pins the store's present state for the client.
    package func pin() throws(StoreError) -> (generation: UInt64, number: UInt64) {
        let pin = try store.persistentStore.pin()
        let isClosed = state.withLock { state in
            state.generations.insert(pin.generation)
            return state.feed.isClosed
        }
        if isClosed { store.persistentStore.unpin(pin.generation) }
        return pin
    }

    /// Gives up a state that the client has pinned; does nothing if the state is not its own.
    package func unpin(_ generation: UInt64) {
        guard state.withLock({ $0.generations.remove(generation) }) != nil else { return }
        store.persistentStore.unpin(generation)
    }

    /// Notes that the client holds the rows of a reply, which were read under `ticket`; `nil` if they came
    /// from the cache.
    package func hold(_ rows: PackedRows, readAt number: UInt64, _ ticket: RowCache.Ticket?) {
        holder.hold(rows, readAt: number, ticket)
    }

    /// Notes that the client holds rows no longer; `sweep` gives their memory back, which may be later.
    package func release(_ primaryKeys: [Int64], entity: Int) {
        holder.release(primaryKeys, entity: entity)
    }

    /// Drops those of some released rows that no client holds by now.
    func sweep(_ primaryKeys: [Int64], entity: Int) {
        holder.sweep(primaryKeys, entity: entity)
    }
}

extension Subscription {
    /// Tells the client of a transaction if it concerns it; says whether something waits to be sent.
    package func offer(_ told: EncodedTransaction, submitter: UInt64) -> Bool {
        let transaction = told.transaction
        let isOwn = submitter == session
        if isOwn { holder.holdInserts(of: transaction) }
        // A read that ends now has noted before what it holds, which is looked at after.
        let reads = state.withLock { $0.feed.reads }
        let isHeld = isOwn ? [] : held(transaction)
        // Queued under the lock, which calls nothing back, so that pushes stand in the order of their
        // decisions.
        let (isQueued, isDropped) = state.withLock { state in
            let decision = state.feed.decide(transaction, isOwn: isOwn, isHeld, isReading: reads > 0)
            guard case .push(let message, let parts) = decision else { return (false, false) }
            let isQueued = queue(message, in: &state.feed, parts: parts, of: told)
            return (isQueued, !isQueued)
        }
        if isQueued || isDropped {
            store.tracePush(transaction.number, to: session, isDropped: isDropped)
        }
        if isDropped { sink.resumeWhenDrained(self) }  // Not before, since it may resume at once.
        return isQueued
    }

    /// Tells the client that what it has read may be stale; says whether something waits to be sent.
    package func offerReload(at number: UInt64) -> Bool {
        let (isQueued, isDropped) = state.withLock { state in
            guard let push = state.feed.reload(at: number) else { return (false, false) }
            let isQueued = queue(push, in: &state.feed)
            return (isQueued, !isQueued)
        }
        if isDropped { sink.resumeWhenDrained(self) }
        return isQueued
    }

    /// The client reads again: tells it what to fetch if pushes were dropped.
    package func resume() {
        let number = store.persistentStore.number
        let isQueued: Bool? = state.withLock { state in
            guard let push = state.feed.resume(at: number) else { return nil }
            return queue(push, in: &state.feed)
        }
        guard let isQueued else { return }
        if isQueued { sink.flush() } else { sink.resumeWhenDrained(self) }
    }

    /// Hands a push to the sink; if the sink is full, the client is behind from what it was told before.
    private func queue(
        _ message: PushMessage, in feed: inout SubscriptionFeed, parts: [EncodedTransaction.Part] = [],
        of told: EncodedTransaction? = nil
    ) -> Bool {
        // A push that fits into no frame is one to fetch.
        let isQueued = (try? packed(message, parts: parts, of: told)).map { sink.enqueue(push: $0) } ?? false
        feed.settle(message, isQueued: isQueued)
        return isQueued
    }

    private func packed(
        _ message: PushMessage, parts: [EncodedTransaction.Part], of told: EncodedTransaction?
    ) throws(WireError) -> [UInt8] {
        guard let told, !parts.isEmpty else { return try message.packed() }
        return try message.packed(with: told.bytes(parts))
    }

    /// For each change, whether the client holds one of its rows; empty if it holds none, as with most that
    /// others save.
    private func held(_ transaction: TransactionMessage) -> [Bool] {
        let isAny = transaction.changes.contains { holder.holdsAny(of: $0.primaryKeys, entity: $0.entity) }
        return isAny
            ? transaction.changes.map { holder.holdsAny(of: $0.primaryKeys, entity: $0.entity) } : []
    }
}

extension Subscription {
    /// Throws why its store cannot be written through it, if it cannot.
    package func requireWriting() throws(ServiceError) {
        if needsAccount, store.sharing.content?.account == nil { throw .noAccount(store.key.description) }
        if !isReadOnly { return }
        let file = store.persistentStore.file
        if file.isReadOnly, !file.isOpenedReadOnly { throw .store(file.readOnlyError) }
        throw .readOnly(store.key.description)
    }
}
