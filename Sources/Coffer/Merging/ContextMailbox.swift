import CofferLinux
import CofferWire
import Synchronization

/// Keeps what a coordinator tells until the context takes it in on its own actor.
///
/// Shared. Past `Limits.waitingEvents` it keeps the stores' latest numbers only, and the context reads again
/// what it has.
final class ContextMailbox: CoordinatorObserver {
    fileprivate struct State {
        var events: [CoordinatorEvent] = []
        var overflow: [UInt32: UInt64] = [:]
        var wakeUp: (@Sendable () -> Void)?
        var hasWoken = false
        /// What happened in the parent.
        var changes: [ParentChange] = []
        /// What contexts below ask for, in order; `nil` once the context has gone.
        var questions: [@Sendable (ManagedObjectContext?) -> Void]? = []
        var owner: ContextOwner?
        /// How long an asking context or thread waits until the context comes to its question.
        var patience = Limits.parentAnswer
        /// Called when something waits, whatever the owner is.
        var listeners: [Int: @Sendable () -> Void] = [:]
        var lastListener = 0
        var onClose: (@Sendable () -> Void)?
    }

    private let state = Mutex(State())

    /// Called when something waits; once until the context comes to it.
    var wakeUp: (@Sendable () -> Void)? {
        get { state.withLock { $0.wakeUp } }
        set { state.withLock { $0.wakeUp = newValue } }
    }

    /// The context has taken in what it saved itself.
    var ignoredOrigin: ObjectIdentifier? { ObjectIdentifier(self) }

    func coordinator(_ coordinator: any PersistentStoreCoordinator, didReport event: CoordinatorEvent) {
        if case .transaction(_, _, let origin) = event, origin == ObjectIdentifier(self) { return }
        if case .bookmark = event { return }
        state.withLock { state in
            // A context without a `wakeUp` comes to its mail in its own time: the service is not kept waiting
            // for it.
            if case .storesWillChange = event, state.wakeUp == nil {
                return state.keep(.storesWillChange(nil))
            }
            state.keep(event)
        }
        wake()
    }

    /// Lets the owner know that something waits.
    func wake() {
        let (wakeUp, listeners) = state.withLock {
            state -> ((@Sendable () -> Void)?, [@Sendable () -> Void]) in
            let listeners = Array(state.listeners.values)
            if state.hasWoken { return (nil, listeners) }
            state.hasWoken = state.wakeUp != nil
            return (state.wakeUp, listeners)
        }
        wakeUp?()
        for listener in listeners { listener() }
    }

    /// Calls `listener` whenever something waits, until it is removed.
    func addListener(_ listener: @escaping @Sendable () -> Void) -> Int {
        state.withLock { state in
            state.lastListener += 1
            state.listeners[state.lastListener] = listener
            return state.lastListener
        }
    }

    /// Stops calling a listener.
    func removeListener(_ number: Int) { state.withLock { $0.listeners[number] = nil } }

    /// What answers; set by the actor that the context belongs to.
    var owner: ContextOwner? {
        get { state.withLock { $0.owner } }
        set { state.withLock { $0.owner = newValue } }
    }

    /// How long an asking context or thread waits until the context comes to its question.
    var patience: Duration {
        get { state.withLock { $0.patience } }
        set { state.withLock { $0.patience = newValue } }
    }

    /// Keeps a question; `false` if it will never be answered.
    func enqueue(_ question: @escaping @Sendable (ManagedObjectContext?) -> Void) -> Bool {
        state.withLock { state in
            state.questions?.append(question)
            return state.questions != nil
        }
    }

    /// The question that waits longest.
    func nextQuestion() -> (@Sendable (ManagedObjectContext?) -> Void)? {
        state.withLock { state in
            state.questions?.isEmpty ?? true ? nil : state.questions?.removeFirst()
        }
    }

    /// Answers all questions with a refusal, now and later: the context goes.
    func close() {
        let (questions, onClose) = state.withLock { state in
            defer { (state.questions, state.onClose) = (nil, nil) }
            return (state.questions ?? [], state.onClose)
        }
        for question in questions { question(nil) }
        onClose?()
    }

    /// Calls `body` once the context goes.
    func whenClosed(_ body: @escaping @Sendable () -> Void) { state.withLock { $0.onClose = body } }

    /// Wakes the owner again for what comes from now on.
    ///
    /// The context does it before it looks at anything that waits: what arrives while it takes that in would
    /// else wait unheard.
    func sleep() { state.withLock { $0.hasWoken = false } }

    /// Keeps what happened in the parent; past `Limits.waitingEvents` the context reads again what it has.
    func keep(_ change: ParentChange) {
        state.withLock { state in
            if state.changes.count >= Limits.waitingEvents || change.isReload {
                let areStoresNew = change.areStoresNew || state.changes.contains { $0.areStoresNew }
                let returned = state.changes.reduce(into: change.returnedStores) {
                    $0.formUnion($1.returnedStores)
                }
                state.changes = [
                    ParentChange(
                        stamp: change.stamp, isReload: true, areStoresNew: areStoresNew,
                        returnedStores: returned)
                ]
            } else {
                state.changes.append(change)
            }
        }
        wake()
    }

    /// What happened in the parent since it was asked last, in order.
    func takeParentChanges() -> [ParentChange] {
        state.withLock { state in
            defer { state.changes = [] }
            return state.changes
        }
    }

    /// Takes what tells that stores of the parent are back, and nothing else: their places.
    ///
    /// Not before it was taken in that the objects of the removed stores are gone.
    func takeReturns() -> Set<Int> {
        state.withLock { state in
            if state.changes.contains(where: \.areStoresNew) { return [] }
            var places: Set<Int> = []
            state.changes.removeAll { change in
                if change.returnedStores.isEmpty || change.isReload { return false }
                places.formUnion(change.returnedStores)
                return true
            }
            return places
        }
    }

    /// Takes what tells that stores will change, and leaves the rest; the notices are good until they are let
    /// go.
    func takeNotices() -> [StoresNotice?] {
        state.withLock { state in
            var notices: [StoresNotice?] = []
            state.events.removeAll { event in
                guard case .storesWillChange(let notice) = event else { return false }
                notices.append(notice)
                return true
            }
            return notices
        }
    }

    /// Takes what tells of the stores themselves and of the connection, in order, and leaves what was changed
    /// in them.
    func takeAllButChanges() -> [CoordinatorEvent] {
        state.withLock { state in
            let isTaken: (CoordinatorEvent) -> Bool = { $0.isOfConnection || $0.isOfStores }
            defer { state.events.removeAll(where: isTaken) }
            return state.events.filter(isTaken)
        }
    }

    /// Waits for a while until something tells that files of stores were exchanged.
    func waitForExchange() {
        let news = ConditionLock(0)
        let listener = addListener {
            news.withLock { $0 += 1 }
            news.broadcast()
        }
        defer { removeListener(listener) }
        _ = news.wait(timeout: Limits.exchangeNews) { _ in contains(where: \.isExchange) ? true : nil }
    }

    /// Whether such an event waits.
    func contains(where isWanted: (CoordinatorEvent) -> Bool) -> Bool {
        state.withLock { $0.events.contains(where: isWanted) }
    }

    /// What came since it was asked last, in order.
    func take() -> [CoordinatorEvent] {
        state.withLock { state in
            defer {
                state.events = []
                state.overflow = [:]
            }
            return state.overflow.map { .reload(store: $0.key, number: $0.value) } + state.events
        }
    }
}

extension ContextMailbox.State {
    fileprivate mutating func keep(_ event: CoordinatorEvent) {
        switch event {
        case .transaction(let transaction, let store, _):
            if overflow[store] == nil { events.append(event) } else { overflow[store] = transaction.number }
        case .reload(let store, let number):
            events.removeAll { $0.isTransaction(of: store) }
            overflow[store] = number
        case .disconnected, .reconnected:
            events.removeAll { $0.isOfConnection }  // What it is now counts, and there is no end of these.
            events.append(event)
        case .storesWillChange, .storeDidReturn: events.append(event)
        case .storesDidChange(_, let moved?, _):
            // Objects live on, so what was told before counts; of two moves they know the first store.
            guard let former = events.lastIndex(where: { $0.moved?.uuid == moved.formerUUID }),
                let first = events[former].moved
            else { return events.append(event) }
            events[former] = .storesDidChange(isRemoved: false, moved: first.followed(by: moved))
        case .storesDidChange:
            events = events.filter { $0.isOfConnection } + [event]  // What was told before is of other files.
            overflow = [:]
        case .bookmark: break
        }
        guard events.count > Limits.waitingEvents else { return }
        for case .transaction(let transaction, let store, _) in events {
            overflow[store] = transaction.number
        }
        events.removeAll { !$0.isOfConnection && !$0.isOfStores }
    }
}

extension CoordinatorEvent {
    /// How ids became others, if a store was moved.
    var moved: CopiedStoreMessage? {
        if case .storesDidChange(_, let moved, _) = self { moved } else { nil }
    }

    fileprivate func isTransaction(of number: UInt32) -> Bool {
        if case .transaction(_, number, _) = self { true } else { false }
    }

    fileprivate var isOfConnection: Bool {
        switch self {
        case .disconnected, .reconnected: true
        case .transaction, .reload, .bookmark, .storesWillChange, .storesDidChange, .storeDidReturn: false
        }
    }

    fileprivate var isOfStores: Bool {
        switch self {
        case .storesWillChange, .storesDidChange, .storeDidReturn: true
        case .transaction, .reload, .bookmark, .disconnected, .reconnected: false
        }
    }
}
