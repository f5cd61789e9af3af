import CofferContainer
import CofferMerge
import CofferSimulation
import Synchronization
import TestSupport
import Testing

/// Baselines that were damaged after all that they stand for had gone, over calm folders.
struct DamagedBaselineTests: CalmFolders {
    let folders = calmFolders()

    /// A writer whose baseline another peer has read, so that its logs went.
    private func writerWithoutLogs() throws -> (writer: SimulatedReplica, reader: SimulatedReplica) {
        let (writer, reader) = (peer(1, baselineAt: 5), peer(2))
        _ = try writeBaseline(writer)
        try run(reader, at: 1)
        for _ in 0..<2 { try run(writer, at: 0) }
        #expect(writer.exchange.outbox.isEmpty && names("b-").count == 1 && names("p-").count > 1)
        return (writer, reader)
    }

    /// Whether a peer that begins now comes to have what `replica` has.
    private func reachesNewcomer(_ replica: SimulatedReplica) throws -> Bool {
        let newcomer = peer(3)
        for _ in 0..<2 { try run(newcomer, at: 2) }
        return newcomer.state == replica.state
    }

    private func damageEverywhere(_ names: some Sequence<String>) {
        for index in 0..<3 { damage(names, at: index) }
    }

    @Test(arguments: ["p-", "b-"])
    func `its author heals it, whether its process goes on or begins anew`(letter: String) throws {
        for isRestarted in [false, true] {
            let folders = DamagedBaselineTests()
            var writer = try folders.writerWithoutLogs().writer
            folders.damageEverywhere(folders.names(letter))
            #expect(try !folders.reachesNewcomer(writer))
            for _ in 0..<6 {
                folders.folders.pass(SimulatedFolders.day / 2)
                if isRestarted { writer = SimulatedReplica(restarting: writer) }
                for _ in 0..<2 { try folders.run(writer, at: 0) }
            }
            #expect(try folders.reachesNewcomer(writer), "restarted: \(isRestarted)")
            #expect(writer.exchange.status.quarantined.isEmpty)
        }
    }

    @Test func `what has the logs knows what was buried, whether the baseline can be read or not`() throws {
        let (writer, reader) = (peer(1, baselineAt: 15), peer(2))
        for seed: UInt64 in 101...110 { try edit(writer, seed: seed) }
        try run(writer, at: 0)
        try run(reader, at: 1)
        #expect(reader.state == writer.state && names("b-").isEmpty)
        folders.pass(100 * SimulatedFolders.day)
        for seed: UInt64 in 111...115 { try edit(writer, seed: seed) }
        try run(writer, at: 0)
        #expect(writer.state.lives.contains { $1.value.isBuried })
        damageEverywhere(names("p-"))
        try run(reader, at: 1)
        #expect(reader.exchange.status.quarantined.count == 1)
        #expect(reader.state == writer.state)
        #expect(reader.digest == writer.digest)
    }

    @Test func `a log that is damaged after one peer read it comes back in that peer's baseline`() throws {
        let (writer, reader, third) = (peer(1), peer(2), peer(3))
        try edit(writer, seed: 1)
        try run(writer, at: 0)
        try run(reader, at: 1)
        // Its author is gone for good.
        damageEverywhere(names("l-"))
        try run(third, at: 2)
        try edit(third, seed: 2)
        try run(third, at: 2)
        for _ in 0..<4 {
            folders.pass(SimulatedFolders.day)
            try run(reader, at: 1)
        }
        #expect(names("b-").count == 1)
        try run(third, at: 2)
        #expect(third.state == reader.state)
        #expect(third.exchange.vector.folds(of: PeerID(1)) == FoldSet(1...1))
    }

    @Test func `whoever had joined it heals it, where its author is gone`() throws {
        var reader = try writerWithoutLogs().reader
        damageEverywhere(names("p-"))
        for _ in 0..<4 {
            folders.pass(SimulatedFolders.day / 2)
            reader = SimulatedReplica(restarting: reader)
            for _ in 0..<2 { try run(reader, at: 1) }
        }
        #expect(try reachesNewcomer(reader))
    }

    @Test func `what was damaged goes with its author's baseline, once another stands for it`() throws {
        var reader = try writerWithoutLogs().reader
        let (baseline, parts) = (names("b-"), names("p-"))
        damageEverywhere(parts)
        for number in 0..<40 {
            folders.pass(SimulatedFolders.day / 2)
            reader = SimulatedReplica(restarting: reader)
            // Its records change, so that not all parts are as before.
            if number < 9 { try edit(reader, seed: UInt64(number)) }
            try run(reader, at: 1)
        }
        #expect(try reachesNewcomer(reader))
        #expect(names("b-").count == 1 && names("b-") != baseline)
        #expect(!Set(parts).isSubset(of: names("p-")), "what nothing names went")
        #expect(reader.exchange.status.quarantined.isEmpty)
    }

    @Test func `what stands there already is read once, however long there is no room for the rest`() throws {
        let writer = try writerWithoutLogs().writer
        let parts = names("p-")
        damageEverywhere([parts[0]])
        folders.pass(SimulatedFolders.day)
        try run(writer, at: 0)
        folders.refuse(0, .full(place: "simulation"))
        folders.pass(SimulatedFolders.day)
        var read: [String] = []
        for _ in 0..<5 { read += try run(writer, at: 0).map { "\($0)" } }
        #expect(writer.exchange.objects(limit: .max).contains { $0.state == .unwritten }, "it is written")
        for part in parts.dropFirst() { #expect(read.count { $0 == part } == 1) }
        folders.refuse(0, nil)
        for _ in 0..<2 { try run(writer, at: 0) }
        #expect(try reachesNewcomer(writer))
    }

    @Test func `its author says what is wrong with it`() throws {
        let writer = try writerWithoutLogs().writer
        let part = try #require(names("p-").first)
        damageEverywhere([part])
        folders.pass(SimulatedFolders.day)
        try run(writer, at: 0)
        #expect(writer.exchange.status.quarantined.map { "\($0.key)" } == [part])
    }

    @Test func `nothing is written again where nothing is wrong`() throws {
        var (writer, reader) = try writerWithoutLogs()
        let present = names("b-") + names("p-")
        for day in 0..<8 {
            folders.pass(SimulatedFolders.day)
            if day % 2 == 0 {
                (writer, reader) = (
                    SimulatedReplica(restarting: writer), SimulatedReplica(restarting: reader)
                )
            }
            try run(writer, at: 0)
            try run(reader, at: 1)
        }
        #expect(names("b-") + names("p-") == present)
    }

    @Test func `what its carrier heals within a day is not written again`() throws {
        var reader = try writerWithoutLogs().reader
        let (baselines, parts) = (names("b-"), names("p-"))
        let whole = folders.world.withLock { $0.folders[1] }
        damage(parts, at: 1)
        reader = SimulatedReplica(restarting: reader)
        try run(reader, at: 1)
        folders.world.withLock { $0.folders[1] = whole }
        for _ in 0..<4 {
            folders.pass(SimulatedFolders.day / 2)
            try run(reader, at: 1)
        }
        #expect(names("b-") == baselines)
    }
}
