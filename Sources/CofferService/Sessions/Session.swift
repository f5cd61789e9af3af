import CofferWire
import FoundationEssentials
import Synchronization

/// One client of the service: a channel, or a name on the bus.
///
/// Shared by the workers that serve its calls.
final class Session: Sendable {
    /// Why a handle means nothing any more.
    enum Retirement {
        /// The file of this store is exchanged, or was.
        case exchanged(StoreKey)
        /// It was of a migration, for the client that made its objects.
        case ofMigration
    }

    private struct State {
        var subscriptions: [UInt32: Subscription] = [:]
        var nextHandle: UInt32 = 1
        /// Handles that mean nothing any more.
        var retired: [UInt32: Retirement] = [:]
        var isClosed = false
    }

    /// Differs for each session of this service.
    let id: UInt64
    /// The caller that it belongs to.
    let caller: Caller
    /// What its client may still make the service hold, over all of its sessions.
    let budget: ClientBudget
    /// The share of its connection to the bus in the workers.
    let share: WorkAccount
    /// When it began, in seconds since 2001-01-01 UTC.
    let began: Double
    /// What it did.
    let statistics = SessionStatistics()
    private let state = Mutex(State())
    private let pendingCalls = Atomic<Int>(0)
    private let calls = Atomic<Int>(0)
    private let contexts = Atomic<Int>(0)

    init(id: UInt64, caller: Caller, budget: ClientBudget, share: WorkAccount, began: Double) {
        self.budget = budget
        self.share = share
        self.id = id
        self.caller = caller
        self.began = began
    }
}

extension Session {
    /// How many calls wait for their answers.
    var pendingCallCount: Int { pendingCalls.load(ordering: .relaxed) }
    /// How many calls it made.
    var callCount: Int { calls.load(ordering: .relaxed) }
    /// How many contexts it says that it has.
    var contextCount: Int { max(0, contexts.load(ordering: .relaxed)) }
    /// Whether it has ended.
    var isClosed: Bool { state.withLock { $0.isClosed } }
    /// The stores it has open.
    var subscriptions: [Subscription] { state.withLock { Array($0.subscriptions.values) } }

    /// Counts a call, and the bytes of its request if that is large.
    ///
    /// - Throws: `.tooManyCalls`, `.tooMuchRequested` if too much of the client waits already; it is
    ///   counted even then.
    func callBegan(largeRequest byteCount: Int = 0) throws(ServiceError) {
        calls.add(1, ordering: .relaxed)
        pendingCalls.add(1, ordering: .relaxed)
        let count = budget.calls.add(1, ordering: .relaxed).newValue
        if byteCount > 0 { try budget.count(requested: byteCount) }
        if count > Limits.callsPerClient { throw .tooManyCalls(limit: Limits.callsPerClient) }
    }

    /// The call that was counted so is answered.
    func callEnded(largeRequest byteCount: Int = 0) {
        if byteCount > 0 { budget.uncount(requested: byteCount) }
        pendingCalls.subtract(1, ordering: .relaxed)
        budget.calls.subtract(1, ordering: .relaxed)
    }

    /// The client has so many contexts more, or fewer; what it says is shown and otherwise of no consequence.
    func noteContexts(_ change: Int32) {
        if change != 0 { contexts.wrappingAdd(Int(change), ordering: .relaxed) }
    }

    /// What the client calls `handle`.
    func subscription(_ handle: UInt32) throws(ServiceError) -> Subscription {
        let (found, retirement) = state.withLock { ($0.subscriptions[handle], $0.retired[handle]) }
        if let found { return found }
        switch retirement {
        case .exchanged?: throw .storeExchanged(handle)
        case .ofMigration?: throw .migrationEnded(handle)
        case nil: throw .unknownStoreHandle(handle)
        }
    }

    /// The store that `handle` was of, if its file is exchanged or was.
    func exchangedStore(_ handle: UInt32) -> StoreKey? {
        if case .exchanged(let key)? = state.withLock({ $0.retired[handle] }) { key } else { nil }
    }

    /// Takes a store out that the client can use no longer: the handle means nothing any more, and says why.
    func retire(_ handle: UInt32, _ retirement: Retirement) {
        state.withLock { state in
            guard state.subscriptions.removeValue(forKey: handle) != nil else { return }
            budget.endedUsingStores(1)
            // Handles grow: a client that never uses the old ones needs no reason for them.
            if state.retired.count >= Limits.storesPerSession, let oldest = state.retired.keys.min() {
                state.retired[oldest] = nil
            }
            state.retired[handle] = retirement
        }
    }

    /// Adds a store under a new handle.
    func add(_ make: (UInt32) -> Subscription) throws(ServiceError) -> Subscription {
        try budget.beganUsingStore()
        let added: Subscription? = state.withLock { state in
            guard !state.isClosed, state.subscriptions.count < Limits.storesPerSession else { return nil }
            let subscription = make(state.nextHandle)
            state.subscriptions[state.nextHandle] = subscription
            state.nextHandle &+= 1
            return subscription
        }
        guard let added else {
            budget.endedUsingStores(1)
            throw .tooManyStores(limit: Limits.storesPerSession)
        }
        return added
    }

    /// Takes a store out.
    func remove(_ handle: UInt32) throws(ServiceError) -> Subscription {
        // Only one of the calls that close it at the same time finds it.
        if let found = state.withLock({ $0.subscriptions.removeValue(forKey: handle) }) {
            budget.endedUsingStores(1)
            return found
        }
        return try subscription(handle)  // Says why there is none.
    }

    /// The client is gone: what is carried out for it may end, before `close` has its turn.
    func clientIsGone() { state.withLock { $0.isClosed = true } }

    /// Takes all stores out, and lets none in any more.
    func close() -> [Subscription] {
        state.withLock { state in
            state.isClosed = true
            budget.endedUsingStores(state.subscriptions.count)
            defer { state.subscriptions = [:] }
            return Array(state.subscriptions.values)
        }
    }
}
