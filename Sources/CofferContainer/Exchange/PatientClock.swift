/// How much time has been seen to pass in rounds: a clock that does not jump.
///
/// A wall clock that is wrong for a minute tells that months have passed, and what waits for days, so that
/// machines that are off can have their say, would wait for nothing. So of the time between two looks at most
/// a step counts, `ExchangeRules.step`, and none if the wall clock went back. It begins with the wall clock's
/// time, and falls behind that on a machine that is off for days.
package struct PatientClock: Hashable, Sendable {
    /// The time, as far as it was seen to pass.
    package let time: WallTime
    /// What the wall clock said then.
    package let wall: WallTime

    /// How much time passes before the clock is set on: each time is one write into the store.
    private static let worthNoting = Duration.seconds(6 * 3_600)

    /// A clock that begins now.
    package init(startingAt wall: WallTime) { self.init(time: wall, wall: wall) }

    /// The clock that was kept.
    package init(time: WallTime, wall: WallTime) { (self.time, self.wall) = (time, wall) }

    /// The time, when the wall clock says this.
    package func time(at now: WallTime, step: Duration) -> WallTime {
        now < wall ? time : time + min(step, now.passed(since: wall))
    }

    /// The clock to go on with: itself, if little time has passed.
    package func seen(at now: WallTime, step: Duration) -> PatientClock {
        if now >= wall, !now.isPast(Self.worthNoting, since: wall) { return self }
        return PatientClock(time: time(at: now, step: step), wall: now)
    }
}
