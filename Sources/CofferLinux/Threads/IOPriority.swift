internal import CLinux

/// How a thread's reads and writes stand against those of others; `ioprio_set(2)`.
package enum IOPriority {
    /// A thread whose reads and writes wait until no other thread has any.
    ///
    /// A value; it ends nothing by itself.
    package struct Idleness: Sendable {
        private let thread: Int32
        private let before: Int32

        fileprivate init(thread: Int32, before: Int32) {
            self.thread = thread
            self.before = before
        }

        /// Gives the thread the priority that it had; any thread may do so, while that one runs.
        package func end() { _ = coffer_set_io_priority(thread, before) }
    }

    /// Makes this thread's reads and writes wait for all others; `nil` if the system does not allow that.
    package static func beginIdling() -> Idleness? {
        let before = coffer_io_priority()
        guard before >= 0, coffer_set_io_priority(0, coffer_io_priority_idle) == 0 else { return nil }
        return Idleness(thread: coffer_thread_number(), before: before)
    }

    /// Calls `body` so that its reads and writes wait until no other thread has any, and tells it whether the
    /// system allows that.
    package static func idle<Result, Failure>(
        _ body: (_ isIdle: Bool) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let idleness = beginIdling()
        defer { idleness?.end() }
        return try body(idleness != nil)
    }

    /// Whether this thread's reads and writes wait for all others.
    package static var isIdle: Bool { coffer_io_priority() == coffer_io_priority_idle }
}
