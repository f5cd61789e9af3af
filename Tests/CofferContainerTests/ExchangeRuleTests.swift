import CofferContainer
import CofferMerge
import CofferSimulation
import Synchronization
import TestSupport
import Testing

/// Single rules of an exchange, each over calm folders.
struct ExchangeRuleTests {
    private let folders: SimulatedFolders
    private let day = SimulatedFolders.day

    init() {
        folders = SimulatedFolders(3, seed: 1)
        folders.calm()
    }

    private func peer(_ number: UInt64, _ change: (inout ExchangeRules) -> Void = { _ in })
        -> SimulatedReplica
    {
        var rules = ExchangeRules()
        rules.step = .seconds(200 * 86_400)
        change(&rules)
        return SimulatedReplica(Exchange(PeerID(number), rules: rules))
    }

    /// Lets what was put arrive, and a peer do a round at its folder.
    private func run(_ replica: SimulatedReplica, at index: Int) throws {
        folders.pass(10)
        _ = try ExchangeRunner(SimulatedCarrier(folders: folders, index: index)).run(
            replica, now: { folders.now }, newPeer: { PeerID(1_000) })
        folders.pass(10)
    }

    private func edit(_ replica: SimulatedReplica, times count: Int = 1, seed: UInt64 = 5) throws {
        var random = Seed(seed).generator()
        for _ in 0..<count {
            try replica.edit(&random, at: folders.now)
            folders.pass(3)
        }
    }

    private func names(_ letter: String) -> [String] {
        folders.finalFiles.keys.filter { $0.hasPrefix(letter) }.sorted()
    }

    /// A clock that was ahead for a moment buried what was deleted seconds ago, and what a third had revived.
    @Test func `how old the dead are is told by what two others wrote last, not by one's own clock`() {
        let exchange = Exchange(PeerID(1))
        func time(_ days: Int64) -> WallTime { WallTime(microseconds: days * day) }
        func burialTime(at days: Int64, newest: [UInt64: Int64]) -> WallTime {
            let stamps = newest.map { (PeerID($0.key), $0.value * day) }
            return exchange.burialTime(at: time(days), newest: Dictionary(uniqueKeysWithValues: stamps))
        }
        #expect(burialTime(at: 1_000, newest: [1: 1_000]) == time(910), "no other is there")
        #expect(burialTime(at: 1_000, newest: [1: 1_000, 2: 990]) == time(900))
        #expect(burialTime(at: 1_000, newest: [2: 500, 3: 600]) == time(910), "the others are gone")
        #expect(burialTime(at: 1_120, newest: [1: 1_120, 2: 990, 3: 980]) == time(890))
        #expect(burialTime(at: 1_000, newest: [1: 990, 2: 1_120, 3: 980]) == time(890))
        #expect(burialTime(at: 1_000, newest: [2: 1_120, 3: 1_130]) == time(910))
        #expect(burialTime(at: 1_000, newest: [2: 990, 3: 980, 4: 5]) == time(890), "two are enough")
    }

    @Test func `a log that the carrier lost is put again at the next look`() throws {
        let writer = peer(1)
        try edit(writer)
        try run(writer, at: 0)
        let before = names("l-")
        #expect(before.count == 1)
        folders.forget()
        #expect(names("l-").isEmpty)
        try run(writer, at: 0)
        #expect(names("l-") == before)
    }

    @Test func `what was damaged on the disk is put there whole again within a day`() throws {
        let writer = peer(1)
        try edit(writer)
        try run(writer, at: 0)
        let name = try #require(names("l-").first)
        let bytes = try #require(folders.finalFiles[name])
        folders.world.withLock { $0.write(name, Array(bytes.dropLast()), at: 0) }
        folders.pass(day)
        try run(writer, at: 0)
        #expect(folders.finalFiles[name] == bytes)
    }

    @Test func `adjacent logs become one, and go once another has read them`() throws {
        let (writer, reader) = (peer(1), peer(2))
        for _ in 0..<16 {
            try edit(writer)
            try run(writer, at: 0)
        }
        #expect(names("l-").count == 16)
        try run(writer, at: 0)
        #expect(names("l-").count == 17, "the sixteen stay until somebody has read their folds")
        #expect(writer.exchange.outbox.count == 1)
        try run(reader, at: 1)
        #expect(reader.state == writer.state)
        // Its receipt says so.
        try run(writer, at: 0)
        #expect(names("l-").filter { $0.hasPrefix("l-0000000000000001") }.count == 1)
        let newcomer = peer(3)
        try run(newcomer, at: 2)
        #expect(newcomer.state == writer.state)
    }

    @Test func `a fold waits for the one before, and for a week at most`() throws {
        let (writer, reader) = (peer(1), peer(2))
        try edit(writer)
        try run(writer, at: 0)
        let lost = try #require(names("l-").first)
        let bytes = try #require(folders.finalFiles[lost])
        try edit(writer)
        try run(writer, at: 0)
        folders.world.withLock { world in
            world.folders[1][lost] = nil
        }
        try run(reader, at: 1)
        #expect(reader.exchange.vector.folds(of: PeerID(1)).isEmpty)
        folders.pass(6 * day)
        try run(reader, at: 1)
        #expect(reader.exchange.vector.folds(of: PeerID(1)).isEmpty)
        folders.pass(day)
        try run(reader, at: 1)
        #expect(reader.exchange.vector.folds(of: PeerID(1)).runs == [2...2])
        // It is taken when it comes.
        folders.world.withLock { world in
            world.folders[1][lost] = SimulatedFolders.File(bytes: bytes, version: 9)
        }
        try run(reader, at: 1)
        #expect(reader.exchange.vector.folds(of: PeerID(1)) == FoldSet(1...2))
        #expect(reader.state == writer.state)
    }

    @Test func `what cannot be read is told with its reason, and tried again ever later`() throws {
        let (writer, reader) = (peer(1), peer(2))
        try edit(writer)
        try run(writer, at: 0)
        let name = try #require(names("l-").first)
        let object = try #require(ObjectName(name))
        let bytes = try #require(folders.finalFiles[name])
        folders.world.withLock { $0.folders[1][name] = .init(bytes: Array(bytes.prefix(40)), version: 99) }
        var last: Int64 = 0
        for tries in 0..<4 {
            try run(reader, at: 1)
            guard case .quarantined(let reason, tries, let next) = reader.exchange.known[object]?.condition
            else {
                Issue.record("\(String(describing: reader.exchange.known[object]))")
                return
            }
            #expect(reason == "\(ObjectFault.damaged)")
            #expect(next.microseconds - folders.now.microseconds > last)
            last = next.microseconds - folders.now.microseconds
            folders.pass(last)
        }
        #expect(reader.state.registers.isEmpty)
        folders.world.withLock { $0.folders[1][name] = .init(bytes: bytes, version: 100) }
        folders.pass(day)
        try run(reader, at: 1)
        #expect(reader.state == writer.state)
    }

    @Test func `logs go for a baseline that another has read, and a newcomer needs nothing else`() throws {
        let (writer, reader) = (peer(1) { $0.baselineLogCount = 5 }, peer(2))
        for _ in 0..<5 {
            try edit(writer)
            try run(writer, at: 0)
        }
        try run(writer, at: 0)
        #expect(names("b-").count == 1 && names("l-").count == 5)
        folders.pass(6 * day)
        try run(writer, at: 0)
        #expect(names("l-").count == 5, "nobody has read it")
        try run(reader, at: 1)
        try run(writer, at: 0)
        #expect(names("l-").allSatisfy { $0.hasPrefix("l-0000000000000002") })
        try run(writer, at: 0)
        #expect(writer.exchange.outbox.isEmpty)
        let newcomer = peer(3)
        try run(newcomer, at: 2)
        #expect(newcomer.state == writer.state)
        #expect(newcomer.exchange.vector.folds(of: PeerID(1)) == FoldSet(1...5))
    }

    @Test func `logs go for a baseline that has stood for a week and can be read, and not for a damaged one`()
        throws
    {
        for isDamaged in [false, true] {
            let folders = SimulatedFolders(1, seed: 2)
            folders.calm()
            let writer = peer(1) { $0.baselineLogCount = 3 }
            let runner = ExchangeRunner(SimulatedCarrier(folders: folders, index: 0))
            var random = Seed(3).generator()
            for _ in 0..<4 {
                try writer.edit(&random, at: folders.now)
                _ = try runner.run(writer, now: { folders.now })
                folders.pass(10)
            }
            _ = try runner.run(writer, now: { folders.now })
            let part = try #require(folders.finalFiles.keys.first { $0.hasPrefix("p-") })
            if isDamaged { folders.world.withLock { $0.write(part, [1, 2, 3], at: 0) } }
            folders.pass(7 * day)
            for _ in 0..<2 { _ = try runner.run(writer, now: { folders.now }) }
            let logs = folders.finalFiles.keys.filter { $0.hasPrefix("l-") }
            #expect(logs.count == (isDamaged ? 4 : 1), "damaged: \(isDamaged), \(logs)")
        }
    }

    @Test func `the week of a baseline begins when it stands there, not when it was written`() throws {
        let folders = SimulatedFolders(1, seed: 4)
        folders.calm()
        let writer = peer(1) { $0.baselineLogCount = 3 }
        let runner = ExchangeRunner(SimulatedCarrier(folders: folders, index: 0))
        var random = Seed(3).generator()
        func look() throws { _ = try runner.run(writer, now: { folders.now }) }
        func logCount() -> Int { folders.finalFiles.keys.count { $0.hasPrefix("l-") } }
        for _ in 0..<2 {
            try writer.edit(&random, at: folders.now)
            try look()
        }
        // Written by hand, since there is no room for the third log that would bring it about.
        try writer.edit(&random, at: folders.now)
        folders.refuse(0, .full(place: "simulation"))
        let (former, now) = (writer.exchange, folders.now)
        _ = try writer.keepBaseline(at: WallTime(microseconds: 0)) { (whole) throws(ObjectFault) in
            var exchange = former
            try exchange.writeBaseline(whole, at: now)
            return exchange
        }
        try look()
        folders.pass(8 * day)
        folders.refuse(0, nil)
        for _ in 0..<3 {
            try look()
            folders.pass(day)
        }
        #expect(logCount() >= 3)
        folders.pass(7 * day)
        for _ in 0..<2 { try look() }
        #expect(logCount() <= 1)
    }

    @Test func `a baseline of which a part was lost is made up for by whoever has its folds`() throws {
        let (writer, reader) = (peer(1) { $0.baselineLogCount = 3 }, peer(2))
        for _ in 0..<3 {
            try edit(writer)
            try run(writer, at: 0)
        }
        try run(writer, at: 0)
        try run(reader, at: 1)
        for _ in 0..<2 { try run(writer, at: 0) }
        #expect(writer.exchange.outbox.isEmpty)
        folders.world.withLock { world in
            for name in world.latest.keys where name.hasPrefix("p-") {
                world.latest[name] = nil
                for index in world.folders.indices { world.folders[index][name] = nil }
            }
        }
        let newcomer = peer(3)
        try run(newcomer, at: 2)
        #expect(newcomer.state.registers.isEmpty)
        #expect(!newcomer.exchange.status.waiting.isEmpty, "the status says what it waits for")
        // The writer itself is gone for good: the reader has all that it read.
        for _ in 0..<3 {
            try run(reader, at: 1)
            folders.pass(day)
        }
        try run(newcomer, at: 2)
        #expect(newcomer.state == writer.state)
        #expect(newcomer.exchange.vector.folds(of: PeerID(1)) == FoldSet(1...3))
    }

    @Test func `a baseline that is lost before another read it is not missed: its logs are there`() throws {
        let (writer, reader) = (peer(1) { $0.baselineLogCount = 3 }, peer(2))
        for _ in 0..<4 {
            try edit(writer)
            try run(writer, at: 0)
        }
        let lost = try #require(names("b-").first)
        folders.world.withLock { world in
            world.latest[lost] = nil
            for index in world.folders.indices { world.folders[index][lost] = nil }
        }
        try run(writer, at: 0)
        folders.pass(day)
        for _ in 0..<2 { try run(writer, at: 0) }
        #expect(names("b-") == [], "no log went for it")
        try run(reader, at: 1)
        #expect(reader.state == writer.state)
        // The next logs bring the next one about.
        for _ in 0..<4 {
            try edit(writer)
            try run(writer, at: 0)
        }
        #expect(names("b-").count == 1)
    }

    @Test func `a baseline that gave way to another's is not written anew`() throws {
        let (writer, reader) = (peer(1) { $0.baselineLogCount = 3 }, peer(2) { $0.baselineLogCount = 3 })
        for _ in 0..<4 {
            try edit(writer)
            try run(writer, at: 0)
        }
        for number in 0..<4 {
            try edit(reader, seed: UInt64(number))
            try run(reader, at: 1)
        }
        for _ in 0..<2 { for (index, one) in [writer, reader].enumerated() { try run(one, at: index) } }
        var later = SimulatedReplica(restarting: reader)
        var counts: Set<Set<String>> = []
        for day in 0..<12 {
            folders.pass(self.day)
            try run(writer, at: 0)
            try run(later, at: 1)
            later = SimulatedReplica(restarting: later)
            if day > 4 { counts.insert(Set(names("b-"))) }
        }
        #expect(counts.count == 1, "\(counts)")
    }

    @Test func `all baselines are joined, whichever is the newest`() throws {
        var both = State()
        for number in 1...2 {
            // Neither sees the other's logs: each baseline has what the other lacks.
            let alone = SimulatedFolders(1, seed: UInt64(number))
            alone.calm()
            let writer = peer(UInt64(number)) { $0.baselineLogCount = 2 }
            var random = Seed(UInt64(number)).generator()
            for _ in 0..<2 { try writer.edit(&random, at: alone.now) }
            let runner = ExchangeRunner(SimulatedCarrier(folders: alone, index: 0))
            _ = try runner.run(writer, now: { alone.now })
            both.join(writer.state)
            for (name, bytes) in alone.finalFiles where !name.hasPrefix("l-") {
                folders.world.withLock { $0.write(name, bytes, at: 2) }
            }
        }
        let newcomer = peer(3)
        try run(newcomer, at: 2)
        #expect(names("b-").count == 2)
        #expect(newcomer.state == both)
    }

    @Test func `a store that was put back goes on under a new id, and what both wrote stays`() throws {
        let writer = peer(1)
        try edit(writer)
        try run(writer, at: 0)
        let backup = SimulatedReplica(copying: writer)
        try edit(writer, seed: 8)
        try run(writer, at: 0)
        try edit(backup, seed: 9)
        try run(backup, at: 1)
        #expect(backup.exchange.peer == PeerID(1_000))
        for _ in 0..<3 {
            try run(writer, at: 0)
            try run(backup, at: 1)
        }
        #expect(writer.state == backup.state)
        let names = Set(writer.exchange.vector.entries.keys)
        #expect(names.contains(PeerID(1)) && names.count >= 2)
    }

    @Test func `what is full or can only be read is told, and the rest is done`() throws {
        let (writer, reader) = (peer(1), peer(2))
        try edit(writer)
        try run(writer, at: 0)
        try edit(reader, seed: 6)
        let full = CarrierError.full(place: "x")
        folders.refuse(1, full)
        folders.pass(10)
        let runner = ExchangeRunner(SimulatedCarrier(folders: folders, index: 1))
        #expect(try runner.run(reader, now: { folders.now }).refusal == full)
        #expect(reader.exchange.vector.folds(of: PeerID(1)) == FoldSet(1...1), "it reads on")
        #expect(reader.exchange.outbox.allSatisfy { $0.putAt == nil })
        folders.refuse(1, nil)
        #expect(try runner.run(reader, now: { folders.now }).refusal == nil)
        try run(writer, at: 0)
        #expect(writer.state == reader.state)
    }
}
