import CofferCoordination
package import CofferWire

/// How far one client was told of a store's transactions, and what it is told next.
///
/// A value: it decides, and its subscription queues what it says under one lock.
package struct SubscriptionFeed: Sendable {
    /// What a transaction is to a client.
    package enum Decision: Equatable, Sendable {
        /// Nothing that it has to hear of now.
        case nothing
        /// This, with those parts of its changes.
        case push(PushMessage, [EncodedTransaction.Part] = [])
    }

    /// What the client calls the store by.
    private let handle: UInt32
    /// Whether it is told of every change, not only of rows that it holds.
    package var watches: Bool
    /// The last number that the client was told of.
    private var told: UInt64 = 0
    /// Reads under way: what commits meanwhile concerns the client, whatever it holds.
    var reads = 0
    /// Pushes were dropped since `told`: the client gets one 'fetch history since' when it reads again.
    private var isBehind = false
    /// A 'reload' was among them, which takes the place of what history tells.
    private var mustReload = false
    /// Whether the client cannot use the store any more.
    package var isClosed = false

    /// The feed of a store that a client calls by `handle`.
    package init(handle: UInt32, watches: Bool) {
        self.handle = handle
        self.watches = watches
    }

    /// Begins the feed at `number`; `false` if the session has ended already.
    package mutating func begin(at number: UInt64) -> Bool {
        told = number
        return !isClosed
    }

    /// What to tell of a transaction; `isHeld` says for each of its changes whether the client holds a row
    /// of it, and is empty if it holds none.
    ///
    /// If that is a push, `settle` must be told what became of it before the next decision.
    package mutating func decide(
        _ transaction: TransactionMessage, isOwn: Bool, _ isHeld: [Bool], isReading: Bool
    ) -> Decision {
        if isClosed { return .nothing }
        if isBehind || transaction.number <= told { return .nothing }
        let previous = told
        if isOwn {
            told = transaction.number  // The reply carries the number.
            return .nothing
        }
        let isAllTold = watches || isReading
        let parts =
            isHeld.isEmpty && !isAllTold ? [] : relevantParts(of: transaction, isHeld, isAllTold: isAllTold)
        if parts.allSatisfy({ $0 == .nothing }) {
            if transaction.number - previous < Limits.transactionsPerBookmark { return .nothing }
            return .push(push(.bookmark, upTo: transaction.number))
        }
        return .push(
            push(transaction.origin == .save ? .didSave : .didImport, upTo: transaction.number), parts)
    }

    /// What tells the client that whatever it has read may be stale; `nil` if it is told once it reads again.
    package mutating func reload(at number: UInt64) -> PushMessage? {
        if isClosed { return nil }
        mustReload = true
        if isBehind { return nil }
        return push(.reload, upTo: max(told, number))
    }

    /// What the client is told when it reads again while the store is at `number`; `nil` if nothing was
    /// dropped.
    package mutating func resume(at number: UInt64) -> PushMessage? {
        guard isBehind, !isClosed else { return nil }
        isBehind = false
        if mustReload { return reload(at: number) }
        return push(.historySince, upTo: number)
    }

    /// Notes whether a push was queued; if it was not, the client is behind from what it was told before.
    package mutating func settle(_ push: PushMessage, isQueued: Bool) {
        if isQueued {
            if push.kind == .reload { mustReload = false }
        } else {
            isBehind = true
            told = push.previous
        }
    }

    private mutating func push(_ kind: PushMessage.Kind, upTo number: UInt64) -> PushMessage {
        defer { told = number }
        return PushMessage(kind: kind, store: handle, number: number, previous: told)
    }

    /// The changes to tell: all to a client that watches or reads, else those of held rows; values only of
    /// held rows and up to a limit.
    private func relevantParts(
        of transaction: TransactionMessage, _ isHeld: [Bool], isAllTold: Bool
    ) -> [EncodedTransaction.Part] {
        var bytes = 0
        return transaction.changes.enumerated().map { place, change in
            let isHeld = place < isHeld.count && isHeld[place]
            if isHeld { bytes += change.columns.reduce(0) { $0 + $1.byteCount } }
            if isHeld && bytes <= Limits.pushValues { return .all }
            return isHeld || isAllTold ? .withoutValues : .nothing
        }
    }
}
