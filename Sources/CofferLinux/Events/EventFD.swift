internal import CLinux

/// A flag that wakes the threads that wait for its descriptor; `eventfd(2)`.
///
/// Shared.
package final class EventFD: Sendable {
    private let descriptor: OwnedDescriptor

    /// A flag that is down.
    package init() throws(LinuxError) {
        descriptor = OwnedDescriptor(owning: try check(coffer_event_create(), "eventfd"))
    }

    /// The descriptor to watch; readable while the flag is up.
    package var number: Int32 { descriptor.number }

    /// Raises the flag; raising it twice is raising it once.
    package func signal() {
        var one: UInt64 = 1
        // Fails only if the counter is full, and then the flag is up.
        _ = unsafe coffer_write(descriptor.number, &one, 8)
    }

    /// Lowers the flag; says whether it was up.
    @discardableResult
    package func drain() -> Bool {
        var count: UInt64 = 0
        return unsafe coffer_read(descriptor.number, &count, 8) == 8
    }

    /// Waits until the flag is up, for ever or until `timeout` has passed; says whether it is.
    package func wait(timeout: Duration? = nil) throws(LinuxError) -> Bool {
        let deadline = timeout.map { Monotonic.now + $0.wholeNanoseconds }
        return try descriptor.waitReady(toWrite: false, deadline: deadline)
    }
}
