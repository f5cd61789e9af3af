internal import CofferLinux

/// Where a thread sleeps until its reply has come, or it is its turn to read.
///
/// Shared; used again and again, by one call at a time.
final class CallSlot: Sendable {
    /// Why the thread is woken.
    enum Wake: Sendable {
        /// Here is the reply.
        case reply(ReceivedFrame)
        /// It holds the baton: nobody else reads.
        case baton
        /// No reply will come.
        case lost(LinkFailure)
    }

    private let wake = ConditionLock<Wake?>(nil)

    /// Wakes the thread.
    func put(_ reason: Wake) {
        wake.withLock { $0 = reason }
        wake.signal()
    }

    /// Sleeps until woken; `nil` once the monotonic `deadline` has passed.
    func take(until deadline: UInt64?) -> Wake? {
        guard let deadline else { return wake.wait { CallSlot.taken(&$0) } }
        let now = Monotonic.now
        let rest = Duration.nanoseconds(Int64(clamping: deadline > now ? deadline - now : 0))
        return wake.wait(timeout: rest) { CallSlot.taken(&$0) }
    }

    /// Forgets a wake-up that nobody took.
    func reset() { wake.withLock { $0 = nil } }

    private static func taken(_ wake: inout Wake?) -> Wake? {
        defer { wake = nil }
        return wake
    }
}
