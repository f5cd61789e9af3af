import CofferContainer
import CofferMerge
import CofferSimulation
import TestSupport
import Testing

/// Objects that can be read and not be joined, over calm folders.
struct RefusedJoinTests {
    private let folders: SimulatedFolders
    private let writer = SimulatedReplica(Exchange(PeerID(1)))
    private let reader = SimulatedReplica(Exchange(PeerID(2)))

    init() {
        folders = SimulatedFolders(2, seed: 1)
        folders.calm()
    }

    private func run(_ replica: SimulatedReplica, at index: Int) throws {
        folders.pass(10)
        _ = try ExchangeRunner(SimulatedCarrier(folders: folders, index: index)).run(
            replica, now: { folders.now })
        folders.pass(10)
    }

    private func edit(_ replica: SimulatedReplica, seed: UInt64) throws {
        var random = Seed(seed).generator()
        try replica.edit(&random, at: folders.now)
    }

    @Test func `a log that cannot be joined holds up nothing else, and is joined when it can be`() throws {
        try edit(writer, seed: 1)
        try run(writer, at: 0)
        let log = try #require(writer.exchange.outbox.first?.name)
        reader.refused[log] = "no room for it"
        try edit(reader, seed: 2)
        var last: Int64 = 0
        for _ in 0..<3 {
            try run(reader, at: 1)
            let reason = try #require(reader.exchange.status.quarantined[log])
            #expect(reason.contains("no room for it"))
            guard case .quarantined(_, _, let next) = reader.exchange.known[log]?.condition else {
                Issue.record("\(String(describing: reader.exchange.known[log]))")
                return
            }
            #expect(next.microseconds - folders.now.microseconds > last, "it is tried again ever later")
            last = next.microseconds - folders.now.microseconds
            folders.pass(last)
        }
        #expect(reader.exchange.vector.folds(of: PeerID(1)).isEmpty, "its folds are not had")
        try run(writer, at: 0)
        #expect(writer.exchange.vector.folds(of: PeerID(2)) == FoldSet(1...1), "the others' edits go out")
        reader.refused = [:]
        folders.pass(SimulatedFolders.day)
        try run(reader, at: 1)
        #expect(reader.state == writer.state)
        #expect(reader.exchange.status.quarantined.isEmpty)
    }

    /// By a peer whose clock was wrong for a moment, or that wants to win for ever.
    @Test func `what was written far ahead of this machine's clock waits, and nothing else does`() throws {
        let present = WallTime(microseconds: 1_795_910_400_000_000)
        folders.pass(present.microseconds)
        var random = Seed(1).generator()
        try writer.edit(&random, at: folders.now + .seconds(400 * 86_400))
        try run(writer, at: 0)
        try edit(reader, seed: 2)
        try run(reader, at: 1)
        let reasons = reader.exchange.status.quarantined.values
        #expect(reasons.contains { $0.contains("399 days ahead of this machine's clock") }, "\(reasons)")
        #expect(reader.exchange.vector.folds(of: PeerID(1)).isEmpty)
        try run(writer, at: 0)
        #expect(writer.exchange.vector.folds(of: PeerID(2)) == FoldSet(1...1), "the others' edits go out")
        for _ in 0..<40 {
            folders.pass(SimulatedFolders.day)
            try run(reader, at: 1)
        }
        #expect(reader.state == writer.state, "less than a year ahead it is taken")
        #expect(reader.exchange.status.quarantined.isEmpty)
    }

    @Test func `a clock that was never set holds up nothing`() throws {
        var random = Seed(1).generator()
        try writer.edit(&random, at: WallTime(microseconds: 1_795_910_400_000_000))
        try run(writer, at: 0)
        try run(reader, at: 1)
        #expect(reader.state == writer.state && !reader.state.registers.isEmpty)
    }

    @Test func `a baseline that cannot be joined is left whole, and logs are read all the same`() throws {
        var rules = ExchangeRules()
        rules.baselineLogCount = 2
        let writer = SimulatedReplica(Exchange(PeerID(1), rules: rules))
        for seed in 1...2 {
            try edit(writer, seed: UInt64(seed))
            try run(writer, at: 0)
        }
        try run(writer, at: 0)
        let baseline = try #require(writer.exchange.baselines.first?.name)
        reader.refused[baseline] = "a value of another type"
        try run(reader, at: 1)
        #expect(reader.exchange.status.quarantined.keys.contains(baseline))
        #expect(reader.state == writer.state, "the logs have the same")
        reader.refused = [:]
        folders.pass(SimulatedFolders.day)
        try run(reader, at: 1)
        #expect(reader.exchange.known[baseline]?.facts != nil)
        #expect(reader.exchange.differing(from: reader.digest).isEmpty)
    }
}
