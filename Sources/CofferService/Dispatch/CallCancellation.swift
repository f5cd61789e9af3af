import CofferLinux
import Synchronization

/// Whether the caller still waits for the answer of a call that takes long.
///
/// Asked by the worker that carries the call out, every few tens of microseconds; the channel is looked at
/// less often, since that is a system call. Shared as its call's context is.
final class CallCancellation: Sendable {
    private let session: Session
    private let channel: ServerChannel?
    private let call: UInt64
    /// When the client gives up, by the monotonic clock; 0: never.
    private let deadline: UInt64
    private let nextPoll: Atomic<UInt64>
    private let isTakenBack = Atomic<Bool>(false)
    private let onTakeBack = Mutex(Hook())

    // In a structure: a bare closure in a lock is wrapped once more by each access.
    private struct Hook: Sendable {
        var body: (@Sendable () -> Void)?
    }

    /// The interest of a session in call `call`, for `timeoutMilliseconds` if that is not 0.
    convenience init(
        _ session: Session, channel: ServerChannel, call: UInt64, timeoutMilliseconds: UInt32
    ) {
        let deadline =
            timeoutMilliseconds == 0 ? 0 : Monotonic.now + UInt64(timeoutMilliseconds) * 1_000_000
        self.init(session: session, channel: channel, call: call, deadline: deadline)
    }

    /// The interest of a session in a call over the bus, which ends after `timeout` unless its caller goes
    /// before.
    convenience init(_ session: Session, timeout: Duration) {
        self.init(
            session: session, channel: nil, call: 0, deadline: Monotonic.now + timeout.wholeNanoseconds)
    }

    private init(session: Session, channel: ServerChannel?, call: UInt64, deadline: UInt64) {
        self.session = session
        self.channel = channel
        self.call = call
        self.deadline = deadline
        nextPoll = Atomic(Monotonic.now + Limits.pollInterval)
    }

    /// The state of the call for a thread that does not own the channel and must not read it: the thread that
    /// reads says what is taken back.
    ///
    /// For the owner of the channel.
    func detached() -> DetachedCall {
        // A call over the bus has no time of its caller's, only one for which it may keep a worker.
        let interest = CallCancellation(
            session: session, channel: nil, call: call, deadline: channel == nil ? 0 : deadline)
        channel?.follow(interest, call: call)
        return DetachedCall(interest: interest, channel: channel, call: call)
    }

    /// The client took the call back.
    func takeBack() {
        isTakenBack.store(true, ordering: .sequentiallyConsistent)
        onTakeBack.withLock { $0.body }?()
    }

    /// Calls `body` once the client takes the call back, at once if it has; for calls that no thread is at.
    func whenTakenBack(_ body: @escaping @Sendable () -> Void) {
        onTakeBack.withLock { $0.body = body }
        if isTakenBack.load(ordering: .sequentiallyConsistent) { body() }
    }

    /// How much of the client's own time is left; `nil` if it has no end.
    var timeLeft: Duration? {
        let now = Monotonic.now
        return deadline == 0 ? nil : .nanoseconds(deadline > now ? deadline - now : 0)
    }

    /// Whether the client's own time is over.
    var isLate: Bool { deadline > 0 && Monotonic.now >= deadline }

    /// Whether no caller waits any more: the call was taken back or is late, or its client is gone.
    var isLost: Bool {
        let now = Monotonic.now
        if deadline > 0 && now >= deadline { return true }
        guard now >= nextPoll.load(ordering: .relaxed) else { return false }
        nextPoll.store(now + Limits.pollInterval, ordering: .relaxed)
        return isTakenBack.load(ordering: .relaxed) || session.isClosed || channel?.isCancelled(call) ?? false
    }
}

/// A call that is carried out by a thread of its own, until `end`.
struct DetachedCall: Sendable {
    /// Whether the caller still waits for it.
    let interest: CallCancellation
    fileprivate let channel: ServerChannel?
    fileprivate let call: UInt64

    /// The call is carried out.
    func end() { channel?.unfollow(interest, call: call) }
}
