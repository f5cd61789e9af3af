import CofferContainer
import CofferMerge
import CofferSimulation
import Synchronization
import TestSupport
import Testing

/// Exchanges whose processes end and begin again, over calm folders.
struct RestartTests: CalmFolders {
    let folders = calmFolders()

    @Test(arguments: [false, true])
    func `a store that was put back notices by a baseline alone, and its edits reach everybody`(
        wroteBefore: Bool
    ) throws {
        let writer = peer(1, baselineAt: 5)
        var reader = peer(2)
        var backup: SimulatedReplica?
        for number in 1...5 {
            try edit(writer, seed: UInt64(number))
            try run(writer, at: 0)
            if number == 3 { backup = SimulatedReplica(copying: writer) }
        }
        try run(writer, at: 0)
        try run(reader, at: 1)
        for _ in 0..<2 { try run(writer, at: 0) }
        #expect(writer.exchange.outbox.isEmpty && names("b-").count == 1)
        #expect(names("l-").allSatisfy { $0.hasPrefix("l-0000000000000002") })
        // It knows numbers and the last hash, and nothing of the way to it.
        reader = SimulatedReplica(restarting: reader)
        let restored = try #require(backup)
        if wroteBefore { try edit(restored, seed: 77) }
        try run(restored, at: 2)
        #expect(restored.exchange.peer == PeerID(1_000))
        try edit(restored, seed: 78)
        for _ in 0..<4 {
            try run(restored, at: 2)
            try run(reader, at: 1)
            folders.pass(SimulatedFolders.day)
        }
        #expect(reader.state == restored.state)
        #expect(restored.state.registers.contains { $0.isBy(PeerID(1_000)) })
        let newcomer = peer(3)
        try run(newcomer, at: 0)
        #expect(newcomer.state == restored.state)
        #expect(reader.exchange.differing(from: reader.digest).isEmpty)
    }

    @Test func `own baselines outlast the process, and the outbox with them`() throws {
        var writer = peer(1, baselineAt: 3)
        for number in 1...3 {
            try edit(writer, seed: UInt64(number))
            try run(writer, at: 0)
        }
        let outbox = writer.exchange.outbox
        for _ in 0..<5 {
            writer = SimulatedReplica(restarting: writer)
            for _ in 0..<2 { try run(writer, at: 0) }
            #expect(names("b-").count == 1)
            #expect(writer.exchange.outbox.map(\.name) == outbox.map(\.name), "nobody else has read it")
        }
        folders.pass(7 * SimulatedFolders.day)
        writer = SimulatedReplica(restarting: writer)
        for _ in 0..<2 { try run(writer, at: 0) }
        #expect(names("l-").isEmpty, "the baseline has stood for a week, whoever looked")
        writer = SimulatedReplica(restarting: writer)
        #expect(!writer.exchange.isExported(3, of: PeerID(1)), "nothing was looked at yet")
        try run(writer, at: 0)
        #expect(names("l-").isEmpty && writer.exchange.outbox.count == outbox.count)
        #expect(writer.exchange.isExported(3, of: PeerID(1)), "the baseline has all of it")
        #expect(writer.exchange.status.unwritten.isEmpty)
        try edit(writer, seed: 4)
        #expect(!writer.exchange.isExported(4, of: PeerID(1)) && writer.exchange.isExported(3, of: PeerID(1)))
    }

    @Test func `a baseline that was cut off by the end of the process is written anew`() throws {
        var writer = peer(1, baselineAt: 3)
        for number in 1...2 {
            try edit(writer, seed: UInt64(number))
            try run(writer, at: 0)
        }
        try edit(writer, seed: 3)
        // The log is put, and the baseline kept; then the disk is full.
        let (former, now) = (writer.exchange, folders.now)
        _ = try writer.keepBaseline(at: WallTime(microseconds: 0)) { (whole) throws(ObjectFault) in
            var exchange = former
            try exchange.writeBaseline(whole, at: now)
            return exchange
        }
        writer = SimulatedReplica(restarting: writer)
        try run(writer, at: 0)
        #expect(names("b-").count == 1)
        let newcomer = peer(3)
        for name in names("l-") {
            folders.world.withLock { world in
                for index in world.folders.indices { world.folders[index][name] = nil }
            }
        }
        try run(newcomer, at: 2)
        #expect(newcomer.state == writer.state)
    }

    @Test func `what a baseline holds is joined once, however often the process begins anew`() throws {
        let writer = peer(1, baselineAt: 5)
        let baseline = try writeBaseline(writer)
        var reader = peer(2)
        try run(reader, at: 1)
        #expect(reader.state == writer.state)
        let folds = reader.exchange.lastFold
        for _ in 0..<3 {
            reader = SimulatedReplica(restarting: reader)
            try run(reader, at: 1)
            #expect(try fate(of: baseline, at: reader) == .read)
            #expect(reader.joined.isEmpty)
        }
        #expect(reader.exchange.lastFold == folds, "one receipt says it")
        reader = SimulatedReplica(restarting: reader)
        try edit(reader, seed: 9)
        #expect(reader.exchange.outbox.last?.content.read.count == 1, "and so does each log after it")
        damage(names("p-"), at: 1)
        reader = SimulatedReplica(restarting: reader)
        try run(reader, at: 1)
        #expect(try fate(of: baseline, at: reader) == .quarantined, "nobody else could read it")
        try edit(reader, seed: 10)
        #expect(reader.exchange.outbox.last?.content.read.isEmpty == true, "and so no log says it is read")
    }

    @Test func `what others should know is told though the process ended before`() throws {
        let writer = peer(1, baselineAt: 5)
        _ = try writeBaseline(writer)
        let reader = peer(2)
        for steps in 1..<100 {
            let dying = SimulatedReplica(restarting: reader)
            dying.crashCountdown = steps
            _ = try? run(dying, at: 1)
            guard dying.state == writer.state else { continue }
            #expect(dying.exchange.lastFold == 0)
            let next = SimulatedReplica(restarting: dying)
            try run(next, at: 1)
            #expect(next.exchange.lastFold == 1)
            return
        }
        Issue.record("nothing was joined")
    }

    @Test func `a fold that is lost is skipped after a week of processes that each live a day`() throws {
        let writer = peer(1)
        for number in 1...4 {
            try edit(writer, seed: UInt64(number))
            try run(writer, at: 0)
        }
        let lost = try #require(names("l-").first { $0.contains("-2-2-") })
        var reader = peer(2)
        for day in 0...7 {
            reader = SimulatedReplica(restarting: reader)
            for _ in 0..<2 {
                _ = folders.world.withLock { $0.folders[1].removeValue(forKey: lost) }
                try run(reader, at: 1)
                folders.pass(SimulatedFolders.day / 2)
            }
            let missing = !reader.exchange.vector.folds(of: PeerID(1)).contains(3...4)
            #expect(missing == (day < 7), "on day \(day)")
        }
        reader = SimulatedReplica(restarting: reader)
        _ = folders.world.withLock { $0.folders[1].removeValue(forKey: lost) }
        try run(reader, at: 1)
        #expect(reader.exchange.status.waiting.isEmpty, "what was taken is not waited for again")
    }

    @Test func `a part that nothing names goes after a week of processes that each live a day`() throws {
        let writer = peer(1, baselineAt: 5)
        _ = try writeBaseline(writer)
        let named = names("p-")
        let stray = ContainerObject(.part, content: try RegisterContent.bytes(of: []))
        try SimulatedCarrier(folders: folders, index: 1).put(stray)
        let name = "\(stray.packed().name)"
        #expect(!named.contains(name))
        var reader = peer(2)
        for day in 0...8 {
            reader = SimulatedReplica(restarting: reader)
            for _ in 0..<2 {
                try run(reader, at: 1)
                folders.pass(SimulatedFolders.day / 2)
            }
            if day < 7 { #expect(names("p-").contains(name), "on day \(day)") }
        }
        #expect(names("p-") == named)
    }

    @Test func `parts that stood in a former baseline are looked at, and not joined again`() throws {
        let writer = peer(1, baselineAt: 2)
        for _ in 0..<5 {
            _ = try writeBaseline(writer)
            // It is seen there, and no other reads it.
            try run(writer, at: 0)
            folders.pass(SimulatedFolders.day)
        }
        var reader = peer(2)
        try run(reader, at: 1)
        let former = Set(names("p-"))
        let baseline = try writeBaseline(writer)
        let shared = former.intersection(names("p-"))
        #expect(!shared.isEmpty)
        // Both read the new one first, whose process knows nothing of the former one but what was kept.
        reader = SimulatedReplica(restarting: reader)
        let spoilt = SimulatedReplica(restarting: reader)
        try run(reader, at: 1)
        #expect(try fate(of: baseline, at: reader) == .read)
        #expect(reader.state == writer.state)
        let name = try #require(ObjectName(baseline))
        #expect(try 1..<writer.state.registers.count ~= #require(reader.joined[name]))
        damage(shared, at: 1)
        try run(spoilt, at: 1)
        #expect(try fate(of: baseline, at: spoilt) == .quarantined, "others cannot read it either")
    }
}

extension Register {
    /// Whether a peer wrote it.
    fileprivate func isBy(_ peer: PeerID) -> Bool {
        switch self {
        case .life(_, let life): life.stamp.peer == peer
        case .cell(_, _, let cell): cell.stamp.peer == peer
        case .pair, .place, .same: false
        }
    }
}
