internal import CofferLinux
internal import CofferModel
internal import CofferWire
internal import FoundationEssentials

/// What came for the observers of a client, in the order in which it came.
///
/// Shared. One thread at a time drains the queue and tells the observers, outside any lock; the readers of
/// the channel only add to it.
final class ChannelFeed: Sendable {
    enum Item: Sendable {
        case push(ReceivedPayload, ChannelLink)
        /// The service asks something.
        case call(ReceivedFrame, ChannelLink)
        case ownSave(LocalSave, ReceivedFrame)
        /// The store was opened on a channel.
        case opened(ChannelStore, ChannelLink, StoreOpenedMessage, ChannelStore.Opened)
        case disconnected
        case reconnected
    }

    fileprivate struct State {
        var items: [Item] = []
        /// The number of the thread that drains.
        var drainer: Int?
        var hasOverflowed = false
        /// How often work was taken, and how often it was done.
        var taken: UInt64 = 0
        var told: UInt64 = 0
        /// How many threads wait until it is done.
        var waitingCount = 0
    }

    private let state = ConditionLock(State())

    /// Queues an item; `true` if a thread must be woken to drain.
    func append(_ item: Item) -> Bool {
        state.withLock { state in
            // What comes after something that was dropped would pass for all there is before history is read.
            let isTaken = !state.hasOverflowed && state.items.count < Limits.queuedFeedItems
            guard isTaken || item.cannotBeCaughtUp else {
                state.hasOverflowed = true
                return false
            }
            state.items.append(item)
            return state.drainer == nil && state.items.count == 1
        }
    }

    /// Takes what waits, unless another thread drains.
    func begin() -> Bool {
        state.withLock { state in
            if state.drainer != nil || (state.items.isEmpty && !state.hasOverflowed) { return false }
            state.drainer = WorkerThread.currentNumber
            return true
        }
    }

    /// Whether the calling thread is the one that drains.
    var isDrainedHere: Bool {
        state.withLock { $0.drainer == WorkerThread.currentNumber }
    }

    /// What the drainer does next; `nil` ends its turn.
    func next() -> Work? {
        let (work, isAwaited) = state.withLock { state in
            state.told = state.taken
            return (state.take(), state.waitingCount > 0)
        }
        if isAwaited { state.broadcast() }
        return work
    }

    /// Waits until what is queued now was told, if another thread is about that.
    ///
    /// An observer that does not return keeps nothing waiting for longer than `Limits.saveNews`.
    func waitUntilTold() {
        let last = state.withLock { state -> UInt64? in
            guard let drainer = state.drainer, drainer != WorkerThread.currentNumber else { return nil }
            state.waitingCount += 1
            return state.taken + (state.items.isEmpty ? 0 : 1) + (state.hasOverflowed ? 1 : 0)
        }
        guard let last else { return }
        _ = state.wait(timeout: Limits.saveNews) { $0.told >= last ? true : nil }
        state.withLock { $0.waitingCount -= 1 }
    }

    enum Work: Sendable {
        case items([Item])
        /// Items were dropped: fetch from history what is missing.
        case catchUp
    }
}

extension ChannelFeed.State {
    fileprivate mutating func take() -> ChannelFeed.Work? {
        if !items.isEmpty {
            defer { items = [] }
            taken += 1
            return .items(items)
        }
        if hasOverflowed {
            hasOverflowed = false
            taken += 1
            return .catchUp
        }
        drainer = nil
        return nil
    }
}

extension ChannelFeed.Item {
    /// Whether history does not tell of it; there are few of these.
    fileprivate var cannotBeCaughtUp: Bool {
        switch self {
        case .ownSave: false
        case .opened, .disconnected, .reconnected, .call: true
        case .push(let payload, _):
            // History is asked for what a push that cannot be read would tell.
            switch try? payload.message(PushMessage.self).kind {
            case .reload, .storesWillChange, .storesDidChange, .idsChanged, .identityDidChange,
                .syncDidChange:
                true
            default: false
            }
        }
    }
}
