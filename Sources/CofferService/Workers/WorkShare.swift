import Synchronization

/// How many workers are at the calls of one client, and of its user where the service has several.
///
/// Shared by all that comes from the client.
package final class WorkShare: Sendable {
    /// Workers that are at its calls.
    let running = Atomic<Int>(0)
    /// Work of it that waits for a worker.
    let waiting = Atomic<Int>(0)
    /// Bytes of its calls over the bus that wait for a worker.
    let queuedByteCount = Atomic<Int>(0)
    /// The share of all clients of the user; `nil` where there is one user only.
    let user: WorkShare?

    /// The share of a client, or that of a user, who has none above.
    package init(of user: WorkShare? = nil) { self.user = user }
}

/// The shares of the users of the system's service.
final class UserShares: Sendable {
    private let shares = Mutex<[UInt32: WorkShare]>([:])
    private let isSystem: Bool

    init(isSystem: Bool) { self.isSystem = isSystem }

    /// The share of a user; `nil` where the service has one user only.
    subscript(userID: UInt32) -> WorkShare? {
        guard isSystem else { return nil }
        return shares.withLock { shares in
            if let known = shares[userID] { return known }
            let share = WorkShare()
            shares[userID] = share
            return share
        }
    }
}
