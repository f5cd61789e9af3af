import CofferLinux
import Synchronization

/// Whether somebody still waits for the answer of a call that takes long.
///
/// Asked by the worker that carries the call out, every few tens of microseconds; the channel is looked at less often, since that is a
/// system call. Shared as its call's context is.
final class CallInterest: Sendable {
    private let session: Session
    private let channel: ServerChannel?
    private let call: UInt64
    /// When the client gives up, by the monotonic clock; 0: never.
    private let deadline: UInt64
    private let nextLook: Atomic<UInt64>

    /// The interest of a session; over a channel, that in call `call`, for `timeoutMilliseconds` where that is not 0.
    init(_ session: Session, channel: ServerChannel? = nil, call: UInt64 = 0, timeoutMilliseconds: UInt32 = 0)
    {
        self.session = session
        self.channel = channel
        self.call = call
        let now = Monotonic.now
        deadline = timeoutMilliseconds == 0 ? 0 : now + UInt64(timeoutMilliseconds) * 1_000_000
        nextLook = Atomic(now + Limits.lookInterval)
    }

    /// Whether the client's own time is over.
    var isLate: Bool { deadline > 0 && Monotonic.now >= deadline }

    /// Whether nobody waits any more: the call was taken back or is late, or its client is gone.
    var isLost: Bool {
        let now = Monotonic.now
        if deadline > 0 && now >= deadline { return true }
        guard now >= nextLook.load(ordering: .relaxed) else { return false }
        nextLook.store(now + Limits.lookInterval, ordering: .relaxed)
        return session.isClosed || channel?.isCancelled(call) ?? false
    }
}
