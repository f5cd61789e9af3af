import CofferService
import CofferWire
import Testing

@Suite struct PolledListTests {
    private func elements(_ entries: [PolledList<Int>.Entry]) -> [Int] { entries.map(\.element) }

    @Test func `a thread that takes kept channels owns them alone until they are kept again`() {
        var list = PolledList<Int>()
        list.keep(1)
        list.keep(2)
        let taken = list.take()
        #expect(elements(taken) == [1, 2])
        let isBack = list.takeBack { $0 == 1 }
        #expect(!isBack, "the leader has it")
        let none = list.take()
        #expect(none.isEmpty)
        list.keep(taken)
        let isBackNow = list.takeBack { $0 == 1 }
        #expect(isBackNow)
        let left = list.take()
        #expect(elements(left) == [2])
    }

    @Test func `a channel that sends nothing is kept for twelve polls, and anew after a save`() {
        func looks(_ first: PolledList<Int>.Entry) -> Int {
            sequence(first: first) { $0.polledInVain }.reduce(-1) { count, _ in count + 1 }
        }
        #expect(looks(PolledList<Int>.Entry(1)) == 12)
        let tired = (0..<12).reduce(Optional(PolledList<Int>.Entry(1))) { entry, _ in entry?.polledInVain }
        #expect(tired?.element == 1 && tired?.polledInVain == nil)
        #expect(tired.map { looks(PolledList<Int>.Entry($0.element)) } == 12)
    }

    @Test func `channels that nobody looks at are given back when the deadline passes`() {
        var list = PolledList<Int>()
        let needless = list.beginWatch()
        #expect(needless == nil, "nobody is kept")
        list.keep(1)
        let looks = list.beginWatch()
        let second = list.beginWatch()
        #expect(second == nil, "one deadline watches over all")
        list.keep(2)
        guard let looks, case .giveBack(let left) = list.deadlinePassed(since: looks) else {
            Issue.record("nobody was given back")
            return
        }
        #expect(elements(left) == [1, 2])
        let after = list.take()
        #expect(after.isEmpty)
        list.keep(3)
        let next = list.beginWatch()
        #expect(next != nil, "who is kept next is watched over, too")
    }

    @Test func `channels that the leader looks at are watched on`() {
        var list = PolledList<Int>()
        list.keep(1)
        guard let looks = list.beginWatch() else {
            Issue.record("no watch began")
            return
        }
        let taken = list.take()
        list.keep(taken)
        guard case .watchOn(let later) = list.deadlinePassed(since: looks) else {
            Issue.record("it was given back")
            return
        }
        let second = list.beginWatch()
        #expect(second == nil, "the first goes on")
        guard case .giveBack(let left) = list.deadlinePassed(since: later) else {
            Issue.record("nobody was given back")
            return
        }
        #expect(elements(left) == [1])
    }

    @Test func `a watch ends where the leader has taken all when the deadline passes`() {
        var list = PolledList<Int>()
        list.keep(1)
        guard let looks = list.beginWatch() else {
            Issue.record("no watch began")
            return
        }
        let taken = list.take()
        guard case .giveBack(let left) = list.deadlinePassed(since: looks) else {
            Issue.record("it watches on over nobody")
            return
        }
        #expect(left.isEmpty && elements(taken) == [1])
        list.keep(taken)
        let next = list.beginWatch()
        #expect(next != nil, "the leader that keeps them on begins the next")
    }

    @Test func `the leader reads small saves itself, and nothing else`() {
        func isRead(_ kind: FrameKind, _ method: ChannelMethod, _ byteCount: Int) -> Bool {
            FrameHeader(kind: kind, method: method, payloadByteCount: byteCount).isReadByLeader
        }
        #expect(isRead(.call, .save, 16 << 10))
        #expect(!isRead(.call, .save, 16 << 10 + 1))
        #expect(!isRead(.call, .fetch, 16))
        #expect(!isRead(.push, .save, 16))
    }
}
