internal import CLinux

/// A value behind a lock, and a way to wait until it has changed.
///
/// Shared: every access to the value and to its memory is made under the lock, which lives at a fixed address
/// from `init` to `deinit`. The lock is not recursive; never hold it over I/O, a callback or another lock.
@safe package final class ConditionLock<State>: @unchecked Sendable {
    // Guarded by `condition`, which every method but `deinit` holds when it touches the value.
    private let value: UnsafeMutablePointer<State>
    private let condition: OpaquePointer

    /// A lock around `value`.
    package init(_ value: sending State) {
        unsafe self.value = UnsafeMutablePointer.allocate(capacity: 1)
        unsafe self.value.initialize(to: value)
        unsafe condition = coffer_condition_create()
    }

    deinit {
        unsafe value.deinitialize(count: 1)
        unsafe value.deallocate()
        unsafe coffer_condition_destroy(condition)
    }

    /// Reads or changes the value; wakes no thread.
    package func withLock<Result, Failure>(
        _ body: (inout sending State) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        unsafe coffer_condition_lock(condition)
        defer { unsafe coffer_condition_unlock(condition) }
        return try unsafe body(&value.pointee)
    }

    /// Asks `ready` now and after every wake-up, and returns its first answer that is not `nil`.
    package func wait<Result>(until ready: (inout sending State) -> sending Result?) -> sending Result {
        unsafe coffer_condition_lock(condition)
        defer { unsafe coffer_condition_unlock(condition) }
        while true {
            if let result = unsafe ready(&value.pointee) { return result }
            unsafe coffer_condition_wait(condition)
        }
    }

    /// As without `timeout`, but gives up with `nil` when it has passed.
    package func wait<Result>(timeout: Duration, until ready: (inout sending State) -> sending Result?)
        -> sending Result?
    {
        let deadline = Monotonic.now + timeout.wholeNanoseconds
        unsafe coffer_condition_lock(condition)
        defer { unsafe coffer_condition_unlock(condition) }
        while true {
            if let result = unsafe ready(&value.pointee) { return result }
            if unsafe coffer_condition_wait_until(condition, deadline) < 0 {
                return unsafe ready(&value.pointee)
            }
        }
    }

    /// Wakes one thread that waits.
    package func signal() { unsafe coffer_condition_signal(condition) }

    /// Wakes all threads that wait.
    package func broadcast() { unsafe coffer_condition_broadcast(condition) }
}
