import CofferUbiquity
import Testing

struct MemoryEffortTests {
    private let second: UInt64 = 1_000_000_000

    @Test func `memory is given back once, a while after the last of much`() {
        var effort = MemoryEffort()
        effort.note(30_000, at: second)
        #expect(!effort.isMuch)
        effort.note(30_000, at: 2 * second)
        #expect(effort.isMuch)
        let early = effort.takeIsOver(at: 3 * second)
        #expect(!early && effort.isMuch)
        effort.note(1_000, at: 8 * second)
        let stillEarly = effort.takeIsOver(at: 13 * second)
        #expect(!stillEarly)
        let isOver = effort.takeIsOver(at: 18 * second)
        #expect(isOver && !effort.isMuch)
        let again = effort.takeIsOver(at: 100 * second)
        #expect(!again)
    }

    @Test func `what a user does bit by bit does not put it off`() {
        var effort = MemoryEffort()
        effort.note(200_000, at: second)
        for turn in 2...11 { effort.note(3, at: UInt64(turn) * second) }
        let isOver = effort.takeIsOver(at: 11 * second)
        #expect(isOver)
    }

    @Test func `of little nothing is given back`() {
        var effort = MemoryEffort()
        effort.note(30_000, at: second)
        let isOver = effort.takeIsOver(at: 100 * second)
        #expect(!isOver)
    }
}
