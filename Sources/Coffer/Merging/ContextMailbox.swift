import CofferWire
import Synchronization

/// Keeps what a coordinator tells until the context takes it in on its own actor.
///
/// Shared. Past `Limits.waitingEvents` it keeps the stores' latest numbers only, and the context reads again what it has.
final class ContextMailbox: CoordinatorObserver {
    fileprivate struct State {
        var events: [CoordinatorEvent] = []
        var overflow: [UInt32: UInt64] = [:]
        var wakeUp: (@Sendable () -> Void)?
        var hasWoken = false
    }

    private let state = Mutex(State())

    /// Called when something waits; once until it was taken.
    var wakeUp: (@Sendable () -> Void)? {
        get { state.withLock { $0.wakeUp } }
        set { state.withLock { $0.wakeUp = newValue } }
    }

    func coordinator(_ coordinator: any StoreCoordinator, didTell event: CoordinatorEvent) {
        if case .transaction(_, _, let origin) = event, origin == ObjectIdentifier(self) { return }
        if case .bookmark = event { return }
        let wakeUp = state.withLock { state -> (@Sendable () -> Void)? in
            state.keep(event)
            if state.hasWoken { return nil }
            state.hasWoken = state.wakeUp != nil
            return state.wakeUp
        }
        wakeUp?()
    }

    /// What came since it was asked last, in order.
    func take() -> [CoordinatorEvent] {
        state.withLock { state in
            state.hasWoken = false
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
        case .bookmark: break
        }
        guard events.count > Limits.waitingEvents else { return }
        for case .transaction(let transaction, let store, _) in events {
            overflow[store] = transaction.number
        }
        events.removeAll { !$0.isOfConnection }
    }
}

extension CoordinatorEvent {
    fileprivate func isTransaction(of number: UInt32) -> Bool {
        if case .transaction(_, number, _) = self { true } else { false }
    }

    fileprivate var isOfConnection: Bool {
        switch self {
        case .disconnected, .reconnected: true
        case .transaction, .reload, .bookmark: false
        }
    }
}
