import CofferContainer
import CofferMerge
import CofferSimulation
import Synchronization
import TestSupport
import Testing

/// Exchanges whose processes end and begin anew, over calm folders.
struct RestartTests {
    private let folders: SimulatedFolders

    init() {
        folders = SimulatedFolders(3, seed: 1)
        folders.calm()
    }

    private func peer(_ number: UInt64, baselineAt count: Int = 200) -> SimulatedReplica {
        var rules = ExchangeRules()
        rules.baselineLogCount = count
        return SimulatedReplica(Exchange(PeerID(number), rules: rules))
    }

    private func run(_ replica: SimulatedReplica, at index: Int) throws {
        folders.pass(10)
        _ = try ExchangeRunner(SimulatedCarrier(folders: folders, index: index)).run(
            replica, now: { folders.now }, newPeer: { PeerID(1_000) })
        folders.pass(10)
    }

    private func edit(_ replica: SimulatedReplica, seed: UInt64) throws {
        var random = Seed(seed).generator()
        try replica.edit(&random, at: folders.now)
    }

    private func names(_ letter: String) -> [String] {
        folders.finalFiles.keys.filter { $0.hasPrefix(letter) }.sorted()
    }

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
        _ = try writer.keepBaseline(burying: WallTime(microseconds: 0)) { (whole) throws(ObjectFault) in
            var exchange = former
            try exchange.writeBaseline(
                whole.registers, digest: whole.digest, modelID: whole.modelID, at: now)
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
