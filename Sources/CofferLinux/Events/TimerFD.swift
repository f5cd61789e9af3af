internal import CLinux

/// A timer whose descriptor becomes readable once, on the monotonic clock; `timerfd_create(2)`.
///
/// Shared: the last call to `arm` or `disarm` holds.
package final class TimerFD: Sendable {
    private let descriptor: OwnedDescriptor

    /// A timer that is not armed.
    package init() throws(LinuxError) {
        descriptor = OwnedDescriptor(owning: try check(coffer_timer_create(), "timerfd_create"))
    }

    /// The descriptor to watch; readable once the time has come.
    package var number: Int32 { descriptor.number }

    /// Sets the time again: `delay` from now; at once if that is 0 or less.
    package func arm(after delay: Duration) throws(LinuxError) {
        let nanoseconds = max(1, Int64(clamping: delay.wholeNanoseconds))
        try check(coffer_timer_arm(descriptor.number, nanoseconds), "timerfd_settime")
    }

    /// Takes the time back; the descriptor is not readable any more.
    package func disarm() throws(LinuxError) {
        try check(coffer_timer_arm(descriptor.number, 0), "timerfd_settime")
    }

    /// Says whether the time has come, once.
    @discardableResult
    package func drain() -> Bool {
        var count: UInt64 = 0
        return unsafe coffer_read(descriptor.number, &count, 8) == 8
    }
}
