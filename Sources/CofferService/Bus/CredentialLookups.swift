import CofferDBus
import CofferLinux

/// Calls that wait until the bus has named their caller's credentials.
///
/// Shared by the connection's thread, which alone adds and takes, and the one that ends the service.
final class CredentialLookups: Sendable {
    private let calls = ConditionLock<[String: [DBusMessage]]>([:])

    /// Makes a call wait; says whether it is the first of its sender, whose credentials are then to be asked
    /// for.
    func add(_ call: DBusMessage, of sender: String) -> Bool {
        calls.withLock { calls in
            calls[sender, default: []].append(call)
            return calls[sender]?.count == 1
        }
    }

    /// Calls `body` with each call of a sender that has waited; afterwards they no longer wait.
    func end(_ sender: String, _ body: (DBusMessage) -> Void) {
        for call in calls.withLock({ $0[sender] ?? [] }) { body(call) }
        calls.withLock { $0[sender] = nil }
        calls.broadcast()
    }

    /// Waits until none waits, or for `timeout`.
    func waitUntilNone(timeout: Duration) {
        _ = calls.wait(timeout: timeout) { $0.isEmpty ? () : nil }
    }
}
