import CofferService
import CofferWire
import Testing

@Suite struct SubscriptionFeedTests {
    /// A feed that begins at 10, of a store that its client calls 7.
    private func feed(watches: Bool = false) -> SubscriptionFeed {
        var feed = SubscriptionFeed(handle: 7, watches: watches)
        let isOpen = feed.begin(at: 10)
        #expect(isOpen)
        return feed
    }

    private func transaction(
        _ number: UInt64, origin: TransactionOrigin = .save, byteCounts: [Int] = [8]
    ) -> TransactionMessage {
        TransactionMessage(
            number: number, timestamp: 0, origin: origin,
            changes: byteCounts.enumerated().map { place, byteCount in
                var runs = ByteRuns()
                runs.data = [UInt8](repeating: 0, count: byteCount)
                runs.ends = [UInt32(byteCount)]
                return ChangeGroup(
                    kind: .update, entity: place, primaryKeys: [1], properties: [0],
                    columns: [Column(property: 0, values: .bytes(runs))])
            })
    }

    private func push(_ kind: PushMessage.Kind, _ numbers: ClosedRange<UInt64>) -> PushMessage {
        PushMessage(kind: kind, store: 7, number: numbers.upperBound, previous: numbers.lowerBound)
    }

    @Test func `a change of held rows is told with its values, and one of other rows not at all`() {
        var feed = feed()
        let other = feed.decide(transaction(11), isOwn: false, [], isReading: false)
        #expect(other == .nothing)
        let held = feed.decide(
            transaction(12, byteCounts: [8, 8]), isOwn: false, [false, true], isReading: false)
        #expect(held == .push(push(.didSave, 10...12), [.nothing, .all]))
        let imported = feed.decide(transaction(13, origin: .import), isOwn: false, [true], isReading: false)
        #expect(imported == .push(push(.didImport, 12...13), [.all]))
    }

    @Test(arguments: [false, true])
    func
        `a client that watches or reads is told of every change, without values of rows that it does not hold`(
            watches: Bool
        )
    {
        var feed = feed(watches: watches)
        let none = feed.decide(transaction(11), isOwn: false, [], isReading: !watches)
        #expect(none == .push(push(.didSave, 10...11), [.withoutValues]))
        let some = feed.decide(
            transaction(12, byteCounts: [8, 8]), isOwn: false, [true, false], isReading: !watches)
        #expect(some == .push(push(.didSave, 11...12), [.all, .withoutValues]))
    }

    @Test func `values are told up to a limit, and then which rows changed`() {
        var feed = feed()
        let large = transaction(11, byteCounts: [40 << 10, 40 << 10, 8])
        let decision = feed.decide(large, isOwn: false, [true, true, true], isReading: false)
        #expect(decision == .push(push(.didSave, 10...11), [.all, .withoutValues, .withoutValues]))
    }

    @Test func `a client's own save is not told, since the reply carries its number`() {
        var feed = feed(watches: true)
        let own = feed.decide(transaction(11), isOwn: true, [], isReading: false)
        #expect(own == .nothing)
        let next = feed.decide(transaction(12), isOwn: false, [], isReading: false)
        #expect(next == .push(push(.didSave, 11...12), [.withoutValues]))
    }

    @Test func `a client that nothing concerns gets a bookmark after many transactions`() {
        var feed = feed()
        for number in 11..<UInt64(74) {
            let decision = feed.decide(transaction(number), isOwn: false, [], isReading: false)
            #expect(decision == .nothing, "\(number)")
        }
        let last = feed.decide(transaction(74), isOwn: false, [], isReading: false)
        #expect(last == .push(push(.bookmark, 10...74)))
        let next = feed.decide(transaction(75), isOwn: false, [], isReading: false)
        #expect(next == .nothing, "the count begins anew")
    }

    @Test func `a transaction from before the feed's beginning is not told, nor is any after its end`() {
        var feed = feed(watches: true)
        let early = feed.decide(transaction(10), isOwn: false, [true], isReading: false)
        #expect(early == .nothing)
        feed.isClosed = true
        let late = feed.decide(transaction(11), isOwn: false, [true], isReading: false)
        #expect(late == .nothing)
        let (reload, resumed) = (feed.reload(at: 11), feed.resume(at: 11))
        #expect(reload == nil && resumed == nil)
        let isOpen = feed.begin(at: 12)
        #expect(!isOpen)
    }

    @Test func `a client that does not read is told nothing more, and where to fetch from once it reads`() {
        var feed = feed(watches: true)
        drop(11, of: &feed)
        let meanwhile = feed.decide(transaction(12), isOwn: false, [true], isReading: false)
        #expect(meanwhile == .nothing)
        let resumed = feed.resume(at: 12)
        #expect(resumed == push(.historySince, 10...12))
        resumed.map { feed.settle($0, isQueued: true) }
        let again = feed.resume(at: 12)
        #expect(again == nil, "once is enough")
        let next = feed.decide(transaction(13), isOwn: false, [true], isReading: false)
        #expect(next == .push(push(.didSave, 12...13), [.all]))
    }

    @Test func `what was to tell a client where to fetch from is told again where it was dropped, too`() {
        var feed = feed(watches: true)
        drop(11, of: &feed)
        for number in 12...14 as ClosedRange<UInt64> {
            let resumed = feed.resume(at: number)
            #expect(resumed == push(.historySince, 10...number))
            resumed.map { feed.settle($0, isQueued: false) }
        }
    }

    @Test(arguments: [false, true])
    func `a client that was to reload, and did not read, is told so when it reads`(isBehind: Bool) {
        var feed = feed(watches: true)
        if isBehind { drop(11, of: &feed) }
        let reload = feed.reload(at: 12)
        #expect((reload == nil) == isBehind)
        if let reload {
            #expect(reload == push(.reload, 10...12))
            feed.settle(reload, isQueued: false)
        }
        let resumed = feed.resume(at: 13)
        #expect(resumed == push(.reload, 10...13), "history would not tell it that")
        resumed.map { feed.settle($0, isQueued: true) }
        drop(14, of: &feed)
        let last = feed.resume(at: 14)
        #expect(last == push(.historySince, 13...14), "the reload is told once")
    }

    @Test func `a reload never takes a client back`() {
        var feed = feed()
        let reload = feed.reload(at: 3)
        #expect(reload == push(.reload, 10...10))
    }

    private func drop(_ number: UInt64, of feed: inout SubscriptionFeed) {
        let decision = feed.decide(transaction(number), isOwn: false, [true], isReading: false)
        guard case .push(let message, _) = decision else {
            Issue.record("nothing to drop")
            return
        }
        feed.settle(message, isQueued: false)
    }
}
