internal import CLinux

/// Decides whether a wait begins with a moment of spinning, and learns from what came of it.
///
/// A value of one waiter. After `patience` waits in a row that outlasted the moment it sits the next ones out, twice
/// as many each time, then tries again; one success makes it hopeful again. On one processor it never spins.
package struct SpinPolicy: Sendable {
    /// Waits in a row that may outlast the moment before spinning stops.
    package static let patience = 4
    /// Waits that are sat out at most before the next try.
    package static let longestPause: UInt32 = 1024

    private let limitNanoseconds: UInt64
    private var misses = 0
    private var pause: UInt32 = 0
    private var toSitOut: UInt32 = 0

    /// A policy that spins for at most `limit`.
    package init(limit: Duration = .microseconds(20), processorCount: Int = Processors.available) {
        limitNanoseconds = processorCount > 1 ? limit.wholeNanoseconds : 0
    }

    /// Whether the next call will spin.
    package var isSpinning: Bool { limitNanoseconds > 0 && toSitOut == 0 }

    /// Makes `attempt` again and again for a moment, until it says `true`; says whether it did.
    ///
    /// `false` at once, without an attempt, where spinning does not pay at present: go to sleep then.
    package mutating func spin<Failure>(
        until attempt: () throws(Failure) -> Bool
    ) throws(Failure) -> Bool {
        if limitNanoseconds == 0 { return false }
        if toSitOut > 0 {
            toSitOut -= 1
            return false
        }
        let start = coffer_monotonic_nanoseconds()
        repeat {
            for _ in 0..<4 {
                if try attempt() {
                    misses = 0
                    pause = 0
                    return true
                }
                for _ in 0..<8 { coffer_pause() }
            }
        } while coffer_monotonic_nanoseconds() &- start < limitNanoseconds
        missed()
        return false
    }

    private mutating func missed() {
        misses += 1
        guard misses >= Self.patience else { return }
        pause = pause == 0 ? 8 : min(pause * 2, Self.longestPause)
        toSitOut = pause
        misses = Self.patience - 1  // One more miss after the pause is enough.
    }
}
