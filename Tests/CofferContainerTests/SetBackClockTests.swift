import CofferContainer
import CofferMerge
import CofferSimulation
import Synchronization
import TestSupport
import Testing

/// A clock that was a month ahead, and is set back: nothing waits for the month to pass.
struct SetBackClockTests {
    private let folders = SimulatedFolders(1, seed: 1)
    private let day = SimulatedFolders.day
    private let carrier: SimulatedCarrier

    init() {
        folders.calm()
        folders.pass(day)
        carrier = SimulatedCarrier(folders: folders, index: 0)
    }

    /// Does a round, by a clock that is so many days ahead.
    private func run(_ replica: SimulatedReplica, daysAhead: Int64 = 0) throws {
        _ = try ExchangeRunner(carrier).run(
            replica, now: { WallTime(microseconds: folders.now.microseconds + daysAhead * day) })
    }

    private func writer() throws -> SimulatedReplica {
        let writer = SimulatedReplica(Exchange(PeerID(1), rules: ExchangeRules()))
        var random = Seed(3).generator()
        try writer.edit(&random, at: folders.now)
        return writer
    }

    private var log: String { folders.finalFiles.keys.first { $0.hasPrefix("l-") } ?? "" }

    private func write(_ bytes: [UInt8]) {
        let name = log
        folders.world.withLock { $0.write(name, bytes, at: 0) }
    }

    private func damage() throws -> [UInt8] {
        let bytes = try #require(folders.finalFiles[log])
        write(bytes.dropLast())
        return bytes
    }

    @Test func `a log that was damaged since is put again a day later`() throws {
        let writer = try writer()
        try run(writer, daysAhead: 30)
        let whole = try damage()
        for _ in 0..<3 {
            folders.pass(day)
            try run(writer)
        }
        #expect(folders.finalFiles[log] == whole)
    }

    @Test func `what could not be read is tried again`() throws {
        try run(try writer())
        let whole = try damage()
        let reader = SimulatedReplica(Exchange(PeerID(2), rules: ExchangeRules()))
        try run(reader, daysAhead: 30)
        #expect(reader.exchange.vector.folds(of: PeerID(1)).gaplessLast == 0)
        write(whole)
        folders.pass(60_000_000)
        try run(reader)
        #expect(reader.exchange.vector.folds(of: PeerID(1)) == FoldSet(1...1))
    }
}
