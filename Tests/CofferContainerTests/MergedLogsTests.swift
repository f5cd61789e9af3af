import CofferContainer
import CofferMerge
import CofferSimulation
import Synchronization
import TestSupport
import Testing

/// Larger logs of smaller ones, over calm folders.
struct MergedLogsTests: CalmFolders {
    let folders = calmFolders()

    @Test func `the container of a machine alone stays small`() throws {
        var (writer, most) = (peer(1, baselineAt: .max), 0)
        for fold in 0..<500 {
            try edit(writer, seed: UInt64(fold + 1))
            folders.pass(3_000_000)
            try run(writer, at: 0)
            most = max(most, names("l-").count)
            // Its service ends when nothing is to be done.
            if fold % 50 == 49 { writer = SimulatedReplica(restarting: writer) }
        }
        // Six minutes of the first tier, half an hour of the second, and what is not replaced of each.
        #expect(most <= 180, "\(most)")
        folders.pass(SimulatedFolders.day)
        for _ in 0..<2 { try run(writer, at: 0) }
        #expect(names("l-").count <= 2 * 15)
        let newcomer = peer(2)
        try run(newcomer, at: 1)
        #expect(newcomer.state == writer.state)
    }

    @Test func `a larger log that is damaged is put again before those go that it stands for`() throws {
        var writer = peer(1)
        for number in 0..<16 {
            try edit(writer, seed: UInt64(number + 1))
            try run(writer, at: 0)
        }
        // It is put, and then seen there.
        for _ in 0..<2 { try run(writer, at: 0) }
        // How long that is outlasts the process.
        writer = SimulatedReplica(restarting: writer)
        for _ in 0..<2 { try run(writer, at: 0) }
        #expect(names("l-").count == 17)
        let larger = "\(writer.exchange.outbox[0].name)"
        let bytes = try #require(folders.finalFiles[larger])
        folders.world.withLock { $0.write(larger, Array(bytes.dropLast()), at: 0) }
        folders.pass(400_000_000)
        #expect(try run(writer, at: 0).map { "\($0)" } == [larger])
        for _ in 0..<2 { try run(writer, at: 0) }
        #expect(names("l-").count == 17 && folders.finalFiles[larger] == bytes)
        folders.pass(400_000_000)
        try run(writer, at: 0)
        #expect(names("l-") == [larger])
    }

    /// A peer with small figures, that sees time pass by days.
    private func sharing(_ number: UInt64) -> SimulatedReplica {
        var rules = ExchangeRules()
        rules.step = .seconds(200 * 86_400)
        (rules.baselineLogCount, rules.receiptLogCount, rules.recordsOfPart) = (40, 10, 3)
        return SimulatedReplica(Exchange(PeerID(number), rules: rules))
    }

    @Test(arguments: TestScope.isAll() ? [1, 3] : [3 as UInt64])
    func `of what one writes and others read, one writes the baselines`(author: UInt64) throws {
        // Numbers are turns: the author is the first of them, or the last.
        let writer = sharing(author)
        let readers = [sharing(2), sharing(4 - author)]
        var most = 0
        for fold in 0..<600 {
            try edit(writer, seed: UInt64(fold + 1))
            folders.pass(3_000_000)
            try run(writer, at: 0)
            for (index, reader) in readers.enumerated() { try run(reader, at: index + 1) }
            most = max(most, names("l-").count)
        }
        let counts = ([writer] + readers).map(\.exchange.kept.lastBaseline)
        #expect(counts.reduce(0, +) <= 600 / 40, "\(counts)")
        #expect(counts.reduce(0, +) > 1, "\(counts)")
        // A reader tells for ten logs, a minute or two later.
        let told = readers.reduce(0) { $0 + $1.exchange.lastFold }
        #expect(told <= 2 * 600 / 10, "\(told)")
        #expect(most <= 120, "\(most)")
        for reader in readers { #expect(reader.state == writer.state) }
    }

    @Test func `several that write share the baselines`() throws {
        let peers = [sharing(1), sharing(2), sharing(3)]
        var most = 0
        for fold in 0..<360 {
            try edit(peers[fold % 3], seed: UInt64(fold + 1))
            folders.pass(3_000_000)
            for (index, peer) in peers.enumerated() { try run(peer, at: index) }
            most = max(most, names("l-").count)
        }
        let counts = peers.map(\.exchange.kept.lastBaseline)
        #expect(counts.reduce(0, +) <= 360 / 40, "\(counts)")
        #expect(counts.reduce(0, +) > 1, "\(counts)")
        #expect(most <= 160, "\(most)")
        for _ in 0..<2 { for (index, peer) in peers.enumerated() { try run(peer, at: index) } }
        #expect(peers[1].state == peers[0].state && peers[2].state == peers[0].state)
    }
}
