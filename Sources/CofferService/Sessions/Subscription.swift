import CofferCoordination
import CofferModel
import CofferWire
import Synchronization

/// One session's use of one store: its handle, what it holds of the store, and how far its feed has come.
final class Subscription: Sendable {
    private struct State {
        var holdings = Holdings()
        var watches: Bool
        /// The last number that the client was told of.
        var told: UInt64
        /// Pushes were dropped since `told`: the client gets one 'fetch history since' when it reads again.
        var isBehind = false
        var isClosed = false
    }

    /// What the client calls the store by.
    let handle: UInt32
    /// The store.
    let store: ServedStore
    /// Whether nothing may be written.
    let isReadOnly: Bool
    private let session: UInt64
    private let sink: any PushSink
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
        state = Mutex(State(watches: watches, told: 0))
    }

    /// Where the feed begins.
    func begin(at number: UInt64) {
        state.withLock { $0.told = number }
    }

    /// Announces every change from now on, or only those of held rows.
    func watch(_ watches: Bool) {
        state.withLock { $0.watches = watches }
    }

    /// Announces nothing any more.
    func close() {
        state.withLock { $0.isClosed = true }
    }

    /// Notes that the client holds the rows of a reply.
    func hold(_ rows: RowBatch) {
        if rows.primaryKeys.isEmpty { return }
        let tree = store.tree(of: rows.entity)
        state.withLock { $0.holdings.insert(rows.primaryKeys, tree: tree) }
    }

    /// Notes that the client holds rows no longer.
    func release(_ primaryKeys: [Int64], entity: Int) {
        let tree = store.tree(of: entity)
        state.withLock { state in
            for primaryKey in primaryKeys { state.holdings.remove(primaryKey, tree: tree) }
        }
    }
}

extension Subscription {
    private enum Decision {
        case nothing
        case push(PushMessage)
    }

    /// Tells the client of a transaction if it concerns it; says whether something waits to be sent.
    func offer(_ transaction: TransactionMessage, submitter: UInt64) -> Bool {
        let decision = state.withLock { state in
            decide(transaction, isOwn: submitter == session, &state)
        }
        guard case .push(let message) = decision else { return false }
        return send(message, after: message.previous)
    }

    /// The client reads again: tells it what to fetch if pushes were dropped.
    func resume() {
        let message: PushMessage? = state.withLock { state in
            guard state.isBehind, !state.isClosed else { return nil }
            state.isBehind = false
            let previous = state.told
            state.told = store.coordinated.number
            return PushMessage(kind: .historySince, store: handle, number: state.told, previous: previous)
        }
        if let message, send(message, after: message.previous) { sink.flush() }
    }

    private func send(_ message: PushMessage, after told: UInt64) -> Bool {
        // A push that fits into no frame is one to fetch.
        if let bytes = try? message.packed(), sink.enqueue(push: bytes, from: self) { return true }
        state.withLock { state in
            state.isBehind = true
            state.told = told
        }
        // Only now, since it may resume at once.
        sink.resumeWhenDrained(self)
        return false
    }

    private func decide(_ transaction: TransactionMessage, isOwn: Bool, _ state: inout State) -> Decision {
        if state.isClosed || state.isBehind || transaction.number <= state.told { return .nothing }
        let previous = state.told
        if isOwn {
            holdInserts(of: transaction, &state.holdings)
            state.told = transaction.number  // The reply carries the number.
            return .nothing
        }
        let relevant = relevantChanges(of: transaction, state)
        if relevant.isEmpty {
            if transaction.number - previous < Limits.transactionsPerBookmark { return .nothing }
            state.told = transaction.number
            return .push(
                PushMessage(kind: .bookmark, store: handle, number: transaction.number, previous: previous))
        }
        state.told = transaction.number
        var told = transaction
        told.changes = relevant
        let kind: PushMessage.Kind = transaction.origin == .save ? .didSave : .didImport
        return .push(
            PushMessage(
                kind: kind, store: handle, number: transaction.number, previous: previous, transaction: told))
    }

    private func holdInserts(of transaction: TransactionMessage, _ holdings: inout Holdings) {
        for change in transaction.changes where change.kind == .insert {
            holdings.insert(change.primaryKeys, tree: store.tree(of: change.entity))
        }
    }

    /// The changes to tell: all to a client that watches, else those of held rows; values only of held rows and up to a limit.
    private func relevantChanges(of transaction: TransactionMessage, _ state: State) -> [ChangeGroup] {
        var bytes = 0
        return transaction.changes.compactMap { change in
            let tree = store.tree(of: change.entity)
            let isHeld = change.primaryKeys.contains { state.holdings.contains($0, tree: tree) }
            if !isHeld && !state.watches { return nil }
            var change = change
            bytes += change.columns.reduce(0) { $0 + $1.approximateByteCount }
            if !isHeld || bytes > Limits.pushValues { change.columns = [] }
            return change
        }
    }
}

extension Column {
    /// About how many bytes the values take.
    var approximateByteCount: Int {
        switch values {
        case .integers(let values): values.count * 8
        case .bits(let values): values.count
        case .doubles(let values): values.count * 8
        case .floats(let values): values.count * 4
        case .bytes(let runs): runs.data.count + runs.ends.count * 4
        case .uuids(let values), .decimals(let values): values.count
        case .references(let keys, _): keys.count * 12
        }
    }
}
