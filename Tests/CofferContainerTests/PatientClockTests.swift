import CofferContainer
import Testing

@Suite("The clock that waiting goes by")
struct PatientClockTests {
    private func hours(_ count: Int64) -> WallTime { WallTime(microseconds: count * 3_600_000_000) }

    /// What a clock tells after looks at these hours of the wall clock.
    private func time(after looks: [Int64]) -> Int64 {
        let day = Duration.seconds(86_400)
        let last = looks.dropFirst().reduce(PatientClock(startingAt: hours(looks[0]))) { clock, look in
            clock.seen(at: hours(look), step: day)
        }
        return last.time(at: hours(looks[looks.count - 1]), step: day).microseconds / 3_600_000_000
    }

    @Test func `time that passes between looks counts`() {
        #expect(time(after: [100, 101, 102, 110]) == 110)
        #expect(time(after: Array(100...400)) == 400, "many short looks are not lost")
    }

    @Test func `a clock that jumps ahead for a moment tells of a day at most`() {
        #expect(time(after: [100, 3_000]) == 124)
        #expect(time(after: [100, 3_000, 101, 102]) == 125, "what passes after it went back counts again")
    }

    @Test func `a clock that goes back tells nothing`() {
        #expect(time(after: [100, 20]) == 100)
        #expect(time(after: [100, 20, 30]) == 110)
    }
}
