import Synchronization

/// How many workers are at the calls of one connection to the bus, or of all connections of a group.
///
/// Shared by all that comes from there.
package final class WorkAccount: Sendable {
    /// The kind of owner whose connections are counted together, beside each for itself.
    package enum Group: Sendable {
        /// A process or an application in a sandbox: connections cost it nothing.
        case client
        /// A user, if the service has several: processes cost it nothing either.
        case user
    }

    /// Workers that are at its calls.
    let running = Atomic<Int>(0)
    /// Work that waits for a worker, counted for the group if there is one.
    let waiting = Atomic<Int>(0)
    /// Bytes of calls over the bus that wait for a worker, counted for the group if there is one.
    let queuedByteCount = Atomic<Int>(0)
    /// The share of all connections of the client or user.
    let group: WorkAccount?
    /// Whose share it is; `nil` if it is that of one connection.
    let kind: Group?

    /// The share of a connection of a client or user.
    package init(in group: WorkAccount? = nil) {
        self.group = group
        kind = nil
    }

    /// The share of a client or user.
    package init(of kind: Group) {
        group = nil
        self.kind = kind
    }

    /// Whether work waits that may be for the worker that ends what it is at here.
    package var isAwaited: Bool { (group ?? self).waiting.load(ordering: .relaxed) > 0 }
}
