internal import CLinux

/// How this thread's reads and writes stand against those of others; `ioprio_set(2)`.
package enum IOPriority {
    /// Calls `body` so that its reads and writes wait until nobody else has any; says whether that could be had.
    package static func idle<Result, Failure>(
        _ body: (_ isIdle: Bool) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let before = coffer_io_priority()
        let isIdle = before >= 0 && coffer_set_io_priority(coffer_io_priority_idle) == 0
        defer { if isIdle { _ = coffer_set_io_priority(before) } }
        return try body(isIdle)
    }

    /// Whether this thread's reads and writes wait for all others.
    package static var isIdle: Bool { coffer_io_priority() == coffer_io_priority_idle }
}
