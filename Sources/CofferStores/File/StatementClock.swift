internal import CofferLinux
internal import CofferSQLite
internal import Synchronization

/// Stops statements that run a file's own SQL for too long.
///
/// Shared, though one connection asks it: another thread may end it.
package final class StatementClock: Sendable {
    /// How long statements may run.
    package let limit: Duration
    /// When the time is over; 0 while the clock does not run.
    private let end = Atomic<UInt64>(0)
    private let expired = Atomic<Bool>(false)

    /// A clock that does not run yet.
    package init(limit: Duration) { self.limit = limit }

    /// Whether the time has run out since the clock was last started.
    package var hasExpired: Bool { expired.load(ordering: .relaxed) }

    /// Starts the time again.
    package func start() {
        expired.store(false, ordering: .relaxed)
        end.store(Monotonic.now + limit.wholeNanoseconds, ordering: .relaxed)
    }

    /// Stops the clock: nothing that runs from now on is interrupted.
    package func stop() { end.store(0, ordering: .relaxed) }

    /// Whether the running statement is to stop.
    package var isOver: Bool {
        let end = end.load(ordering: .relaxed)
        guard end != 0, Monotonic.now >= end else { return false }
        expired.store(true, ordering: .relaxed)
        return true
    }
}

extension SQLiteConnection {
    /// Allows `clock` to stop statements; it is asked more often if they may be `unknown`, so that one of
    /// them can make no more than a few large values in between.
    func follow(_ clock: StatementClock, isUnknown: Bool) {
        setProgressHandler(
            everyInstructions: isUnknown ? Limits.unknownInstructions : Limits.progressInstructions
        ) { clock.isOver }
    }
}
