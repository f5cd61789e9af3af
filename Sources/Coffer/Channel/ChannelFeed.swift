internal import CofferLinux
internal import CofferModel
internal import CofferWire
internal import FoundationEssentials
internal import Synchronization

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

    private struct State {
        var items: [Item] = []
        /// The number of the thread that drains.
        var drainer: Int?
        var hasOverflowed = false
    }

    private let state = Mutex(State())

    /// Queues an item; `true` where somebody must be woken to drain.
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
        state.withLock { state in
            if !state.items.isEmpty {
                defer { state.items = [] }
                return .items(state.items)
            }
            if state.hasOverflowed {
                state.hasOverflowed = false
                return .catchUp
            }
            state.drainer = nil
            return nil
        }
    }

    enum Work: Sendable {
        case items([Item])
        /// Items were dropped: fetch from history what is missing.
        case catchUp
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
