import CofferContainer
import CofferSimulation
import Synchronization
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
}
