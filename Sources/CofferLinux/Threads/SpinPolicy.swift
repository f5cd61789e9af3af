internal import CLinux

/// Decides whether a wait begins with a moment of spinning, and learns from how long waits take.
///
/// A value of one waiter. To be woken costs each end some 20 µs, more than most answers take: so two ends that call and answer each
/// other at once both spin, and neither sleeps. Whether that pays is seen from the waits themselves, slept ones too; else two ends that
/// sleep would never find each other awake. On one processor it never spins.
package struct SpinPolicy: Sendable {
    /// How long to spin where nothing else is asked for: a peer that has to be woken first answers within it.
    package static let moment = Duration.microseconds(50)

    private let limitNanoseconds: UInt64
    /// Of recent waits, in nanoseconds; the newest counts a quarter.
    private var average: UInt64 = 0
    /// When the present wait began; 0 where there is none.
    private var began: UInt64 = 0

    /// A policy that spins for at most `limit`.
    package init(limit: Duration = Self.moment, processorCount: Int = Processors.available) {
        limitNanoseconds = processorCount > 1 ? limit.wholeNanoseconds : 0
    }

    /// Whether spinning pays at present: recent waits took no more than twice its moment.
    package var isSpinning: Bool { limitNanoseconds > 0 && average <= limitNanoseconds * 2 }

    /// Begins a wait; makes `attempt` again and again for a moment, until it says `true`, and says whether it did.
    ///
    /// `false` at once, without an attempt, where spinning does not pay at present. After `false` go to sleep, and call `ended` when
    /// what was waited for has come.
    package mutating func spin<Failure>(
        until attempt: () throws(Failure) -> Bool
    ) throws(Failure) -> Bool {
        if limitNanoseconds == 0 { return false }
        let now = coffer_monotonic_nanoseconds()
        if began == 0 { began = now }
        guard isSpinning else { return false }
        repeat {
            for _ in 0..<4 {
                if try attempt() {
                    ended()
                    return true
                }
                for _ in 0..<8 { coffer_pause() }
            }
        } while coffer_monotonic_nanoseconds() &- now < limitNanoseconds
        return false
    }

    /// What was waited for has come; does nothing where no wait has begun.
    package mutating func ended() {
        guard began != 0 else { return }
        // A long pause counts no more than a few of the moments, so that a burst after it spins soon.
        let waited = min(coffer_monotonic_nanoseconds() &- began, limitNanoseconds * 8)
        average = (average * 3 + waited) / 4
        began = 0
    }
}
