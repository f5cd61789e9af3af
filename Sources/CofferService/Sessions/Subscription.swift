import CofferCoordination
import CofferModel
import CofferStores
import CofferWire
import Synchronization

/// One session's use of one store: its handle, what it holds of the store, and how far its feed has come.
final class Subscription: Sendable {
    private struct State {
        var watches: Bool
        /// The last number that the client was told of.
        var told: UInt64
        /// Reads under way: what commits meanwhile concerns the client, whatever it holds.
        var reads = 0
        /// Pushes were dropped since `told`: the client gets one 'fetch history since' when it reads again.
        var isBehind = false
        /// A 'reload' was among them, which takes the place of what history tells.
        var mustReload = false
        var isClosed = false
        /// States of the store that the client has pinned.
        var generations: Set<UInt64> = []
    }

    /// What the client calls the store by.
    let handle: UInt32
    /// The store.
    let store: ServedStore
    /// Whether nothing may be written.
    let isReadOnly: Bool
    /// Whose it is.
    let session: UInt64
    private let sink: any PushSink
    private let holder: RowHolder
    private let state: Mutex<State>

    init(
        handle: UInt32, store: ServedStore, isReadOnly: Bool, watches: Bool, session: UInt64,
        sink: any PushSink
    ) {
        self.handle = handle
        self.store = store
        self.isReadOnly = isReadOnly
        self.session = session
        self.sink = sink
        holder = store.coordinated.cache.makeHolder()
        state = Mutex(State(watches: watches, told: 0))
    }

    /// Where the feed begins; `false` where the session has ended already.
    func begin(at number: UInt64) -> Bool {
        state.withLock { state in
            state.told = number
            return !state.isClosed
        }
    }

    /// Reads rows that the client will hold.
    ///
    /// A commit between the reading and the noting is told too: the client compares its number with the reply's.
    func reading<Reply, Failure>(
        _ body: (RowCache.Ticket) throws(Failure) -> Reply
    ) throws(Failure) -> Reply {
        state.withLock { $0.reads += 1 }
        defer { state.withLock { $0.reads -= 1 } }
        return try body(store.coordinated.beginReading())
    }

    /// Whether the client cannot use it any more: who still works for it need not go on.
    var isClosed: Bool { state.withLock { $0.isClosed } }

    /// Announces every change from now on, or only those of held rows.
    func watch(_ watches: Bool) {
        state.withLock { $0.watches = watches }
    }

    /// Announces nothing any more, and keeps nothing.
    func close() {
        let generations = state.withLock { state in
            state.isClosed = true
            return state.generations
        }
        for generation in generations { store.coordinated.unpin(generation) }
        holder.close()
    }

    /// Pins the store's present state for the client.
    func pin() throws(StoreError) -> (generation: UInt64, number: UInt64) {
        let pin = try store.coordinated.pin()
        let isClosed = state.withLock { state in
            state.generations.insert(pin.generation)
            return state.isClosed
        }
        if isClosed { store.coordinated.unpin(pin.generation) }
        return pin
    }

    /// Gives up a state that the client has pinned; nothing where it is not its own.
    func unpin(_ generation: UInt64) {
        guard state.withLock({ $0.generations.remove(generation) }) != nil else { return }
        store.coordinated.unpin(generation)
    }

    /// Notes that the client holds the rows of a reply, which were read under `ticket`; `nil` where they came from the cache.
    func hold(_ rows: RowBatch, readAt number: UInt64, _ ticket: RowCache.Ticket?) {
        holder.hold(rows, readAt: number, ticket)
    }

    /// Notes that the client holds the rows of a fetch, which were read under `ticket`.
    func hold(_ rows: PackedRows, readAt number: UInt64, _ ticket: RowCache.Ticket) {
        holder.hold(rows, readAt: number, ticket)
    }

    /// Notes that the client holds rows no longer; `sweep` gives their memory back, which may be later.
    func release(_ primaryKeys: [Int64], entity: Int) {
        holder.release(primaryKeys, entity: entity)
    }

    /// Drops those of some released rows that no client holds by now.
    func sweep(_ primaryKeys: [Int64], entity: Int) {
        holder.sweep(primaryKeys, entity: entity)
    }
}

extension Subscription {
    private enum Decision {
        case nothing
        case push(PushMessage, [ToldTransaction.Part] = [])
    }

    /// Tells the client of a transaction if it concerns it; says whether something waits to be sent.
    func offer(_ told: ToldTransaction, submitter: UInt64) -> Bool {
        let transaction = told.transaction
        let isOwn = submitter == session
        if isOwn { holder.holdInserts(of: transaction) }
        // A read that ends now has noted before what it holds, which is looked at after.
        let reads = state.withLock { $0.reads }
        let isHeld = isOwn ? [] : held(transaction)
        // Queued under the lock, which calls nothing back, so that pushes stand in the order of their decisions.
        let (isQueued, isDropped) = state.withLock { state in
            let decision = decide(transaction, isOwn: isOwn, isHeld, isReading: reads > 0, &state)
            guard case .push(let message, let parts) = decision else { return (false, false) }
            let isQueued = queue(message, &state, parts, of: told)
            return (isQueued, !isQueued)
        }
        if isQueued || isDropped {
            store.tracePush(transaction.number, to: session, isDropped: isDropped)
        }
        if isDropped { sink.resumeWhenDrained(self) }  // Not before, since it may resume at once.
        return isQueued
    }

    /// Tells the client that what it has read may be stale; says whether something waits to be sent.
    func offerReload(at number: UInt64) -> Bool {
        let (isQueued, isDropped) = state.withLock { state in
            if state.isClosed { return (false, false) }
            state.mustReload = true
            if state.isBehind { return (false, false) }
            let isQueued = queueReload(at: number, &state)
            return (isQueued, !isQueued)
        }
        if isDropped { sink.resumeWhenDrained(self) }
        return isQueued
    }

    private func queueReload(at number: UInt64, _ state: inout State) -> Bool {
        let previous = state.told
        state.told = max(previous, number)
        let push = PushMessage(kind: .reload, store: handle, number: state.told, previous: previous)
        let isQueued = queue(push, &state)
        if isQueued { state.mustReload = false }
        return isQueued
    }

    /// The client reads again: tells it what to fetch if pushes were dropped.
    func resume() {
        let number = store.coordinated.number
        let isQueued: Bool? = state.withLock { state in
            guard state.isBehind, !state.isClosed else { return nil }
            state.isBehind = false
            if state.mustReload { return queueReload(at: number, &state) }
            let previous = state.told
            state.told = number
            return queue(
                PushMessage(kind: .historySince, store: handle, number: number, previous: previous), &state)
        }
        guard let isQueued else { return }
        if isQueued { sink.flush() } else { sink.resumeWhenDrained(self) }
    }

    /// Hands a push to the sink; where that is full, the client is behind from what it was told before.
    private func queue(
        _ message: PushMessage, _ state: inout State, _ parts: [ToldTransaction.Part] = [],
        of told: ToldTransaction? = nil
    ) -> Bool {
        // A push that fits into no frame is one to fetch.
        if let bytes = try? packed(message, parts, told), sink.enqueue(push: bytes) {
            return true
        }
        state.isBehind = true
        state.told = message.previous
        return false
    }

    private func packed(
        _ message: PushMessage, _ parts: [ToldTransaction.Part], _ told: ToldTransaction?
    ) throws(WireError) -> [UInt8] {
        guard let told, !parts.isEmpty else { return try message.packed() }
        return try message.packed(with: told.bytes(parts))
    }

    /// For each change, whether one of its rows is held; empty where none is, as with most that others save.
    private func held(_ transaction: TransactionMessage) -> [Bool] {
        let isAny = transaction.changes.contains { holder.holdsAny(of: $0.primaryKeys, entity: $0.entity) }
        return isAny
            ? transaction.changes.map { holder.holdsAny(of: $0.primaryKeys, entity: $0.entity) } : []
    }

    private func decide(
        _ transaction: TransactionMessage, isOwn: Bool, _ isHeld: [Bool], isReading: Bool,
        _ state: inout State
    ) -> Decision {
        if state.isClosed { return .nothing }
        if state.isBehind || transaction.number <= state.told { return .nothing }
        let previous = state.told
        if isOwn {
            state.told = transaction.number  // The reply carries the number.
            return .nothing
        }
        let isAllTold = state.watches || isReading
        let parts =
            isHeld.isEmpty && !isAllTold ? [] : relevantParts(of: transaction, isHeld, isAllTold: isAllTold)
        if parts.allSatisfy({ $0 == .nothing }) {
            if transaction.number - previous < Limits.transactionsPerBookmark { return .nothing }
            state.told = transaction.number
            return .push(
                PushMessage(kind: .bookmark, store: handle, number: transaction.number, previous: previous))
        }
        state.told = transaction.number
        let kind: PushMessage.Kind = transaction.origin == .save ? .didSave : .didImport
        return .push(
            PushMessage(kind: kind, store: handle, number: transaction.number, previous: previous), parts)
    }

    /// The changes to tell: all to a client that watches or reads, else those of held rows; values only of held rows and up to a limit.
    private func relevantParts(
        of transaction: TransactionMessage, _ isHeld: [Bool], isAllTold: Bool
    ) -> [ToldTransaction.Part] {
        var bytes = 0
        return transaction.changes.enumerated().map { place, change in
            let isHeld = place < isHeld.count && isHeld[place]
            if isHeld { bytes += change.columns.reduce(0) { $0 + $1.byteCount } }
            if isHeld && bytes <= Limits.pushValues { return .all }
            return isHeld || isAllTold ? .withoutValues : .nothing
        }
    }
}

extension Subscription {
    /// Throws why its store cannot be written through it, where it cannot.
    func requireWriting() throws(ServiceError) {
        if !isReadOnly { return }
        let file = store.coordinated.file
        if file.isReadOnly, !file.isOpenedReadOnly { throw .store(file.readOnlyError) }
        throw .readOnly(store.key.description)
    }
}
