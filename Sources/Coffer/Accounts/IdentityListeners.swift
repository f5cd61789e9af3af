internal import Synchronization

/// Listeners that are called when a user may have signed in or out, or a shared store may be further.
///
/// Shared.
final class IdentityListeners: Sendable {
    private struct State {
        var listeners: [UInt32: @Sendable () -> Void] = [:]
        var last: UInt32 = 0
    }

    private let state = Mutex(State())

    /// Calls `listener` from now on, on the thread that tells what the service pushed; the result is what
    /// `remove` takes.
    func add(_ listener: @escaping @Sendable () -> Void) -> UInt32 {
        state.withLock { state in
            state.last += 1
            state.listeners[state.last] = listener
            return state.last
        }
    }

    /// Whether there are no listeners.
    var isEmpty: Bool { state.withLock { $0.listeners.isEmpty } }

    /// Stops calling a listener.
    func remove(_ key: UInt32) { state.withLock { _ = $0.listeners.removeValue(forKey: key) } }

    /// Calls all.
    func notify() {
        for listener in state.withLock({ Array($0.listeners.values) }) { listener() }
    }
}
