internal import CLinux

/// Decides whether a wait begins with a moment of spinning, and learns whether that pays.
///
/// A value of one waiter. To be woken costs each end some 20 µs, more than most answers take: so two ends
/// that call and answer each other at once both spin, and neither sleeps. If the moment runs out again and
/// again, since no answer comes or since both ends share a processor on which the spinning keeps the other
/// from running, waits are slept; short ones are a reason to try again. On one processor it never spins.
///
/// After the first microseconds it offers the processor to others at each turn, and stops when another thread
/// has taken it for the second time: spinning is for processors that have nothing else to do. Once may have
/// been the interrupt of a disk, which is not a reason to sleep.
package struct SpinPolicy: Sendable {
    /// How long to spin if the caller does not set a limit: a peer that has to be woken first goes on within
    /// it.
    package static let moment = Duration.microseconds(300)
    /// How long other threads are not offered the processor: most answers come within it.
    private static let undisturbedNanoseconds: UInt64 = 20_000
    /// Pauses between two looks, of some 15 ns each: at first, and once others are offered the processor.
    ///
    /// What takes longer is being computed, often on a processor that shares its core with this one, as those
    /// of virtual machines do.
    private static let (shortPauses, longPauses) = (8, 64)
    /// What a turn never takes if no other thread ran in between.
    private static let longTurnNanoseconds: UInt64 = 30_000
    /// Such turns in one wait after which the processor counts as wanted by others.
    private static let longTurns = 2
    /// A wait that was slept is short while it took at most so many moments: if both ends sleep, being woken
    /// may alone take two, and a waiter that called this long would never spin again.
    private static let shortMoments: UInt64 = 8

    private let limitNanoseconds: UInt64
    private var state = SpinState.spinning(misses: 0)
    /// When the present wait began; 0 if there is none.
    private var began: UInt64 = 0

    /// A policy that spins for at most `limit`.
    package init(limit: Duration = Self.moment, processorCount: Int = Processors.available) {
        limitNanoseconds = processorCount > 1 ? limit.wholeNanoseconds : 0
    }

    /// Whether the next wait begins with spinning.
    package var isSpinning: Bool { limitNanoseconds > 0 && state.isSpinning }

    /// Begins a wait; makes `attempt` again and again for a moment, until it says `true`, and says whether it
    /// did.
    ///
    /// `false` at once, without an attempt, if spinning does not pay at present. After `false` go to sleep,
    /// and call `ended` when what was waited for has come.
    package mutating func spin<Failure>(
        until attempt: () throws(Failure) -> Bool
    ) throws(Failure) -> Bool {
        if limitNanoseconds == 0 { return false }
        let now = coffer_monotonic_nanoseconds()
        if began == 0 { began = now }
        guard state.isSpinning else { return false }
        var turn = now
        var longTurns = 0
        var pauses = Self.shortPauses
        repeat {
            for _ in 0..<4 {
                if try attempt() {
                    began = 0
                    state = state.transition(on: .hit)
                    return true
                }
                for _ in 0..<pauses { coffer_pause() }
            }
            if turn &- now > Self.undisturbedNanoseconds {
                pauses = Self.longPauses
                coffer_yield()
            }
            let last = turn
            turn = coffer_monotonic_nanoseconds()
            if turn &- last > Self.longTurnNanoseconds { longTurns += 1 }
            if longTurns == Self.longTurns {
                state = state.transition(on: .crowded)
                return false
            }
        } while turn &- now < limitNanoseconds
        state = state.transition(on: .miss)
        return false
    }

    /// What was waited for has come; does nothing if no wait has begun.
    package mutating func ended() {
        guard began != 0 else { return }
        let waited = coffer_monotonic_nanoseconds() &- began
        began = 0
        let isShort = waited <= Self.shortMoments * limitNanoseconds
        state = state.transition(on: isShort ? .shortSleep : .longSleep)
    }
}

/// What a waiter does at present.
package enum SpinState: Equatable, Sendable {
    /// Waits begin with spinning, of which so many came to nothing one after the other.
    case spinning(misses: Int)
    /// Spinning is tried again; if that runs out, more short waits than `pause` are slept before the next
    /// time.
    case trying(pause: Int)
    /// Waits are slept, until so many short ones have come; `pause` is how many there were at first.
    case sleeping(left: Int, pause: Int)
}

/// How a wait went.
package enum SpinEvent: CaseIterable, Sendable {
    /// The wait ended while the waiter spun.
    case hit
    /// The moment ran out; a sleep follows.
    case miss
    /// Another thread took the processor meanwhile; a sleep follows.
    case crowded
    /// The wait was slept, and took at most some moments.
    case shortSleep
    /// The wait was slept, and took long.
    case longSleep
}

extension SpinState {
    /// Short waits that are slept before spinning is tried again, at first and at most.
    package static let pauses = 8...256
    /// Waits one after the other whose spinning came to nothing, after which waits are slept.
    package static let tolerance = 3

    /// Whether the next wait begins with spinning.
    package var isSpinning: Bool {
        switch self {
        case .spinning, .trying: true
        case .sleeping: false
        }
    }

    /// What the waiter does after `event`.
    package func transition(on event: SpinEvent) -> SpinState {
        switch (self, event) {
        case (.spinning, .hit), (.trying, .hit): .spinning(misses: 0)
        case (.spinning(let misses), .miss), (.spinning(let misses), .crowded):
            misses + 1 < Self.tolerance
                ? .spinning(misses: misses + 1) : .resting(Self.pauses.lowerBound)
        case (.trying(let pause), .miss), (.trying(let pause), .crowded):
            .resting(min(2 * pause, Self.pauses.upperBound))
        case (.sleeping(let left, let pause), .shortSleep):
            left > 1 ? .sleeping(left: left - 1, pause: pause) : .trying(pause: pause)
        case (.spinning, .shortSleep), (.spinning, .longSleep), (.trying, .shortSleep), (.trying, .longSleep),
            (.sleeping, .hit), (.sleeping, .miss), (.sleeping, .crowded), (.sleeping, .longSleep):
            self
        }
    }

    private static func resting(_ pause: Int) -> SpinState { .sleeping(left: pause, pause: pause) }
}
