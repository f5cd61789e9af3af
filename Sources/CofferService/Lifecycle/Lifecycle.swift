import CofferLinux
import Logging
import Synchronization

/// Counts the uses of the service, and ends it when there were none for a time.
///
/// Shared. It decides; `perform` acts, in the order of the decisions.
final class Lifecycle: Sendable {
    private struct State {
        var current = LifecycleState.serving
        var uses = 0
        var actions: [LifecycleAction] = []
        var isActing = false
    }

    private let state = Mutex(State())
    private let logger: Logger
    private let endsWithName: Bool
    private let perform: @Sendable (LifecycleAction) -> Void

    /// A life that has not begun; `endsWithName` if a service manager ends the process once its name is gone.
    init(logger: Logger, endsWithName: Bool, perform: @escaping @Sendable (LifecycleAction) -> Void) {
        self.logger = logger
        self.endsWithName = endsWithName
        self.perform = perform
    }

    /// Begins a use of the service, which lasts until `endUse`.
    func beginUse() {
        let isFirst = state.withLock { state in
            state.uses += 1
            return state.uses == 1
        }
        if isFirst { handle(.becameBusy) }
    }

    /// Ends one use of the service.
    func endUse() {
        let isLast = state.withLock { state in
            state.uses -= 1
            return state.uses == 0
        }
        if isLast { handle(.becameIdle) }
    }

    /// The service is up: the time runs from now on if no client came yet.
    func start() {
        if state.withLock({ $0.uses == 0 }) { handle(.becameIdle) }
    }

    /// Goes on to the next state.
    func handle(_ event: LifecycleEvent) {
        let acts = state.withLock { state in
            // Uses begin and end on several threads: only the count tells which came last.
            if event == .becameIdle, state.uses > 0 { return false }
            if event == .becameBusy, state.uses == 0 { return false }
            guard let (next, actions) = state.current.transition(on: event, endsWithName: endsWithName)
            else { return false }
            logger.debug(
                "Lifecycle", metadata: ["from": "\(state.current)", "to": "\(next)", "event": "\(event)"])
            state.current = next
            state.actions += actions
            if state.isActing || state.actions.isEmpty { return false }
            state.isActing = true
            return true
        }
        if acts { act() }
        // A client that used the service while it asked for its name may be gone by now.
        if event == .nameAcquired { handle(.becameIdle) }
    }

    private func act() {
        while true {
            let action: LifecycleAction? = state.withLock { state in
                if state.actions.isEmpty {
                    state.isActing = false
                    return nil
                }
                return state.actions.removeFirst()
            }
            guard let action else { return }
            perform(action)
        }
    }
}
