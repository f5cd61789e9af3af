import CofferContainer
import CofferMerge
import CofferModel
import CofferSimulation
import Foundation
import TestSupport
import Testing

/// A writer that goes past what its readers take ends sharing for good: each bound of a reader is one of its
/// writer.
@Suite struct WriterBoundTests: CalmFolders {
    let folders = Self.calmFolders()

    /// What bounds each field that a reader of containers takes, and where its writer keeps to it.
    ///
    /// A field without a bound of its own has that of its object, which `ContainerObject` checks on both
    /// sides.
    private static let bounds = [
        "ContainerVectorEntry.missing_starts": "the first gaps are told as one",
        "ContainerLog.chain": "logs are not merged past that",
        "ContainerLargeValue.byte_count": "what is larger stands in no row",
        "ContainerLargeValue.hashes": "follows from byte_count",
        "ContainerRegisters.cell_records": "runs are cut and logs are not merged past that",
        "ContainerRegisters.deaths": "a death names relationships of one entity",
        "ContainerRegisters.stamp_times": "a fold refuses to write them",
        "ContainerRegisters.place_lengths": "places are dealt anew before that",
        "ContainerKeys.operations": "what is written is a constant",
        "ContainerKeys.memory": "what is written is a constant",
    ]

    @Test func `each field that is bounded by number or length is a field of the protocol`() throws {
        let path = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appending(path: "../../Protos/coffer/v1/container.proto")
        var fields: Set<String> = []
        var message = ""
        for line in try String(contentsOf: path, encoding: .utf8).split(separator: "\n") {
            let words = line.split(separator: " ")
            if words.first == "message" { message = String(words[1]) }
            if let place = words.firstIndex(of: "="), place > 0 {
                fields.insert("\(message).\(words[place - 1])")
            }
        }
        #expect(fields.count > 60)
        #expect(Set(Self.bounds.keys).subtracting(fields) == [])
    }

    @Test func `of more gaps than are read the first ones are told as one`() throws {
        for count: UInt64 in [0, 1, 9_999, 10_000, 10_001, 10_100] {
            var folds = FoldSet(1...1)
            for number in 0..<count { folds.insert(3 + 2 * number...3 + 2 * number) }
            #expect(folds.missing.count == count)
            var vector = KnowledgeVector()
            vector.insert(folds, of: PeerID(7), chain: nil)
            let content = BaselineContent(
                time: 0, parts: [], vector: vector, digest: StateDigest(),
                modelID: [UInt8](repeating: 0, count: 32))
            let read = try BaselineContent(reading: content.bytes()).vector
            #expect(read.folds(of: PeerID(7)).last == folds.last)
            #expect(vector.isSuperset(of: read), "nothing is told that is not there")
            #expect((read == vector) == (count <= 10_000))
            #expect(try KnowledgeVector(bytes: vector.bytes()) == read)
        }
    }

    /// What a writer makes of the logs of 40 folds, four of which become one as far as its rules allow.
    private func mergedLogs(_ change: (inout ExchangeRules) -> Void) throws -> [LogContent] {
        var rules = ExchangeRules()
        rules.mergedCount = 4
        change(&rules)
        let writer = SimulatedReplica(Exchange(PeerID(1), rules: rules))
        var random = Seed.printed(for: "Logs that are merged").generator()
        for _ in 0..<40 {
            try writer.edit(&random, at: folders.now)
            try run(writer, at: 0)
        }
        return writer.exchange.outbox.map(\.content)
    }

    @Test func `logs are not made into one of more folds than are read`() throws {
        let counts = try mergedLogs { $0.foldsOfLog = 10 }.map(\.chain.hashes.count)
        #expect(counts.reduce(0, +) == 40)
        #expect(counts.max() == 8, "two of four")
    }

    @Test func `nor of more registers than are read`() throws {
        let logs = try mergedLogs { $0.registersOfLog = 6 }
        #expect(logs.map(\.chain.hashes.count).reduce(0, +) == 40)
        #expect(logs.contains { $0.chain.hashes.count > 1 })
        for log in logs where log.chain.hashes.count > 1 { #expect(log.registers.count <= 6) }
    }

    @Test(.leftToAll) func `more registers than an object may have are refused before they are made`() throws
    {
        let stamp = Stamp(1, peer: PeerID(1), fold: 1)
        let cells = (0..<2_000_001).map { number in
            Register.cell(
                RecordID(high: 1, low: UInt64(number)), "a", Stamped(Cell(.null), stamp))
        }
        let bytes = try RegisterContent.bytes(of: cells)
        let fault = #expect(throws: ObjectFault.self) {
            try RegisterContent.registers(in: bytes, from: .container)
        }
        #expect("\(String(describing: fault))".contains("2000001 in all"))
    }

    @Test func `times that no clock tells are taken for the first and the last`() throws {
        let chain = try #require(ChainSegment(first: 1, before: .start, hashes: [.start]))
        for (time, taken) in [(Int64.min, Int64(0)), (5, 5), (.max, 253_402_300_799_999_999)] {
            let log = LogContent(
                time: time, chain: chain, vector: KnowledgeVector(), digest: StateDigest(), modelID: [],
                registers: [])
            let read = try LogContent(reading: log.bytes(), folds: 1...1, from: .container)
            #expect(read.time == taken)
        }
    }

    @Test func `what the own file has is read whatever its lengths`() throws {
        let stamp = Stamp(1, peer: PeerID(1), fold: 1)
        let key = PlaceKey(
            RelationshipName("List", "items"), owner: RecordID(high: 1, low: 1),
            member: RecordID(high: 1, low: 2))
        let long = Register.place(key, Stamped(Place([UInt8](repeating: 7, count: 70 << 10)), stamp))
        let bytes = try RegisterContent.bytes(of: [long])
        #expect(try RegisterContent.registers(in: bytes, from: .ownFile) == [long])
        #expect(throws: ObjectFault.self) { try RegisterContent.registers(in: bytes, from: .container) }
    }
}
