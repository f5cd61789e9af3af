internal import CofferLinux
internal import CofferModel
internal import CofferWire
internal import FoundationEssentials
internal import Synchronization

/// A store that a client has open, whichever channel serves it at present.
///
/// Shared.
final class ChannelStore: Sendable {
    /// What is told of a store.
    typealias Listener = @Sendable (CoordinatorEvent) -> Void
    /// Whether anybody wants to hear of the saves of a context.
    typealias Interest = @Sendable (_ origin: ObjectIdentifier?) -> Bool

    /// That its file no longer exists, and why.
    struct Parting {
        /// Whether no other file has taken its place.
        var isRemoved = false
        /// How ids became others, if its objects are in the other file.
        var moved: CopiedStoreMessage?
        /// Why, if its content follows the account.
        var transition: StoreTransition?
        /// Whether everything in this process that uses the store was told.
        var isTold = false

        /// What is told of it.
        var event: CoordinatorEvent {
            .storesDidChange(isRemoved: isRemoved, moved: moved, transition: transition)
        }
    }

    /// What is open there now.
    enum Opened {
        /// The store was not open before.
        case new
        /// The store that was open on another channel.
        case again
        /// Another, in the place of the one that was.
        case exchanged
    }

    struct State {
        var uuid: UUID
        /// The channel on which the store is open, and what the service calls it there.
        weak var link: ChannelLink?
        var serviceHandle: UInt32
        /// Whether it is not wanted any more.
        var isClosed = false
        /// Why it could not be opened again.
        var failure: CofferError?
        /// Set once its file no longer exists.
        var parting: Parting?
        var releases = ReleaseQueue()
    }

    /// What the client calls it by.
    let handle: UInt32
    /// How it is opened, and opened again.
    let request: OpenStoreRequestMessage
    /// The model that the request names; `nil` if the store's own is used.
    let model: ManagedObjectModel?
    /// Told what happens, in order.
    let listener: Listener
    /// Asked before a save of this process is told.
    let isHeard: Interest
    let state: Mutex<State>
    /// Wakes calls that wait until it is known what became of the store.
    private let changes = ConditionLock(0)
    /// How far the feed has come; the thread that drains the feed, one at a time, has it.
    let position: Mutex<FeedPosition>

    init(
        handle: UInt32, request: OpenStoreRequestMessage, model: ManagedObjectModel?,
        opened: StoreOpenedMessage,
        link: ChannelLink, isHeard: @escaping Interest, listener: @escaping Listener
    ) {
        self.handle = handle
        self.request = request
        self.model = model
        self.listener = listener
        self.isHeard = isHeard
        state = Mutex(State(uuid: opened.uuid, link: link, serviceHandle: opened.store))
        position = Mutex(FeedPosition(known: opened.number))
    }

    /// The store's UUID.
    var uuid: UUID { state.withLock { $0.uuid } }

    /// What the service calls the store on `link`, and what waits to be released; `nil` if it is not open
    /// there.
    func open(on link: ChannelLink) throws(CofferError) -> (
        handle: UInt32, releases: [(tree: Int, keys: [Int64])]
    )? {
        try state.withLock { state throws(CofferError) in
            if let failure = state.failure { throw failure }
            guard state.link === link else { return nil }
            return (state.serviceHandle, state.releases.take(atLeast: Limits.releasesPerCall))
        }
    }

    /// Notes rows to release with a later call; `true` if they are too many to wait.
    func release(_ primaryKeys: [Int64], tree: Int) -> Bool {
        state.withLock { state in
            state.releases.insert(primaryKeys, tree: tree)
            return state.releases.count > Limits.queuedReleases
        }
    }

    /// Notes rows that the process holds again: they are not released.
    func hold(_ rows: PackedRows, tree: Int) {
        state.withLock { $0.releases.remove(rows, tree: tree) }
    }

    /// Closes the store; gives the link and the handle to release, if it is open.
    func close() -> (link: ChannelLink, handle: UInt32)? {
        defer { wakeWaiting() }
        return state.withLock { state in
            state.isClosed = true
            return state.link.map { ($0, state.serviceHandle) }
        }
    }

    /// Notes where the store is open now; `nil` if it was closed meanwhile, or another thread was faster:
    /// then it is to be closed there.
    func reopened(_ opened: StoreOpenedMessage, on link: ChannelLink) -> Opened? {
        defer { wakeWaiting() }
        return state.withLock { state in
            if state.isClosed || state.link === link { return nil }
            state.link = link
            state.serviceHandle = opened.store
            let isAgain = state.uuid == opened.uuid
            // Contexts do not know it yet: what they mean by the handle is not in there.
            state.failure = isAgain ? nil : exchanged()
            state.releases = ReleaseQueue()
            state.uuid = opened.uuid
            return isAgain ? .again : .exchanged
        }
    }

    /// Notes that `handle` of `link` is closed; `false` if the store was not open under it.
    func leave(_ link: ChannelLink, handle: UInt32) -> Bool {
        defer { wakeWaiting() }
        return state.withLock { state in
            guard state.parting == nil, state.link === link, state.serviceHandle == handle else {
                return false
            }
            state.link = nil
            return true
        }
    }

    /// Notes that its file no longer exists; returns `false` if that was known.
    func part(_ error: CofferError, _ parting: Parting) -> Bool {
        state.withLock { state in
            if state.parting != nil { return false }
            state.parting = parting
            state.failure = error
            return true
        }
    }

    /// Notes that everything in this process that uses the store knows that its file no longer exists.
    func noteTold() {
        state.withLock { $0.parting?.isTold = true }
        wakeWaiting()
    }

    private func wakeWaiting() {
        // What waits looks at the state under this lock, so it is asleep by then or sees the change.
        changes.withLock { $0 += 1 }
        changes.broadcast()
    }

    /// Waits until it is known what became of the store that the service took from `handle` on `link`;
    /// `false` if nothing tells that in time.
    func waitUntilLeft(_ link: ChannelLink, handle: UInt32) -> Bool {
        let isKnown: Bool? = changes.wait(timeout: Limits.exchangeNews) { _ in
            state.withLock { state in
                if let parting = state.parting { return parting.isTold }
                if state.isClosed { return true }
                return state.link !== link || state.serviceHandle != handle
            } ? true : nil
        }
        return isKnown ?? false
    }

    /// Waits until that was told which its failure says; in vain if it says something else.
    func waitUntilTold() {
        _ = changes.wait(timeout: Limits.exchangeNews) { _ in
            state.withLock { $0.parting?.isTold ?? ($0.failure == nil || $0.isClosed) } ? true : nil
        }
    }

    /// Whether it is not wanted any more.
    var isClosed: Bool { state.withLock { $0.isClosed } }

    /// That its file no longer exists; `nil` while it does.
    var parting: Parting? { state.withLock { $0.parting } }

    /// Whether another file has taken the place of this one, which is to be opened.
    var isExchanged: Bool { parting.map { !$0.isRemoved } ?? false }

    /// Whether no other file has taken the place of this one, which is gone.
    var isRemoved: Bool { parting?.isRemoved ?? false }

    /// The store cannot be opened any more.
    func fail(_ error: CofferError) {
        state.withLock { $0.failure = error }
        wakeWaiting()
    }
}
