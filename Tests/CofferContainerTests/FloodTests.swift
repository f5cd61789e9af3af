import CofferContainer
import CofferMerge
import Synchronization
import TestSupport
import Testing

/// A folder to which anybody can write kilobytes, that stand for more than a machine has memory or time for.
@Suite struct FloodTests {
    /// A container in memory that counts what is read.
    private final class Container: ContainerCarrier {
        let objects = Mutex<[ObjectName: [UInt8]]>([:])
        let reads = Mutex<[ObjectName: Int]>([:])

        var traits: CarrierTraits { CarrierTraits(goodObjectByteCount: 1 << 20, tellsOfChanges: false) }
        func look() throws(CarrierError) -> ContainerSighting {
            throw .away(place: "memory", reason: "it is only listed")
        }

        func list() -> CarrierListing {
            CarrierListing(objects: Set(objects.withLock { $0.keys }), strangers: [], strangerCount: 0)
        }

        func get(_ name: ObjectName) -> [UInt8]? {
            reads.withLock { $0[name, default: 0] += 1 }
            return objects.withLock { $0[name] }
        }

        func put(_ object: ContainerObject) {
            let (name, bytes) = object.packed()
            objects.withLock { $0[name] = bytes }
        }

        func putRootMarker(_ object: ContainerObject) { put(object) }
        func remove(_ names: [ObjectName]) { objects.withLock { for name in names { $0[name] = nil } } }

        func watch(
            _ body: @escaping @Sendable (CarrierHint) -> Void
        ) throws(CarrierError) -> any CarrierWatch {
            throw .unwatchable(place: "memory", reason: "nothing tells")
        }

        /// Puts a log there, whose folds have these hashes.
        func put(_ chain: ChainSegment, by writer: PeerID) throws {
            let content = LogContent(
                time: 0, chain: chain, vector: KnowledgeVector(), digest: StateDigest(), modelID: [],
                registers: [])
            put(ContainerObject(.log(writer, folds: chain.folds), content: try content.bytes()))
        }
    }

    private let container = Container()
    private let now = WallTime(microseconds: 1_800_000_000_000_000)

    /// What is told after a reader went by some rules through all there is.
    private func read(_ change: (inout ExchangeRules) -> Void = { _ in }) throws -> Exchange {
        var rules = ExchangeRules()
        change(&rules)
        let reader = SimulatedReplica(Exchange(PeerID(1), rules: rules))
        _ = try ExchangeRunner(container).run(reader, now: { now })
        #expect(container.reads.withLock { $0.values.max() } == 1)
        return reader.exchange
    }

    private func hash(_ number: Int) throws -> ChainHash {
        try #require(
            ChainHash(bytes: (0..<16).map { UInt8(truncatingIfNeeded: number >> (8 * (7 - $0 % 8))) }))
    }

    @Test func `logs that cannot be read are each looked at once, and the others are read`() throws {
        let good = try #require(ChainSegment(first: 1, before: .start, hashes: [hash(1)]))
        for number in 2..<6_000 {
            let object = ContainerObject(.log(PeerID(UInt64(number)), folds: 1...1), content: [7])
            let (name, bytes) = object.packed()
            container.objects.withLock { $0[name] = Array(bytes.dropLast()) }
        }
        try container.put(good, by: PeerID(7_000))
        let exchange = try read()
        #expect(exchange.status.quarantined.count == 5_998)
        #expect(exchange.vector.folds(of: PeerID(7_000)) == FoldSet(1...1))
    }

    @Test func `of more folds than peers write the rest is not noted, and told`() throws {
        for number in 0..<10 {
            let chain = try ChainSegment(
                first: UInt64(100 * number + 1), before: number == 0 ? .start : hash(1),
                hashes: Array(repeating: hash(1), count: 100))
            try container.put(try #require(chain), by: PeerID(2))
        }
        let exchange = try read { $0.knownFolds = 450 }
        #expect(exchange.vector.folds(of: PeerID(2)) == FoldSet(1...400))
        let reasons = Set(exchange.status.quarantined.values)
        #expect(reasons.count == 1 && reasons.allSatisfy { $0.contains("more than 450 folds") })
    }

    @Test func `of more copies of one store than there are the rest is not noted, and told`() throws {
        let hashes = try (1...2_000).map { try hash($0) }
        try container.put(
            try #require(ChainSegment(first: 1, before: .start, hashes: hashes)), by: PeerID(2))
        for number in 1...60 {
            let fold = 30 * number
            let fork = ChainSegment(
                first: UInt64(fold + 1), before: hashes[fold - 1], hashes: [try hash(5_000 + number)])
            try container.put(try #require(fork), by: PeerID(2))
        }
        // The first fold is known, and what follows is another copy's.
        for number in 1...10 {
            let fold = 31 * number
            let fork = try ChainSegment(
                first: UInt64(fold + 1), before: hashes[fold - 1],
                hashes: [hashes[fold], hash(6_000 + number)])
            try container.put(try #require(fork), by: PeerID(2))
        }
        let further = try ChainSegment(first: 2_001, before: hashes[1_999], hashes: [hash(2_001)])
        try container.put(try #require(further), by: PeerID(2))
        let exchange = try read { $0.branchesOfWriter = 20 }
        #expect(exchange.vector.entries.count == 20)
        #expect(exchange.vector.entries.values.contains { $0.folds == FoldSet(1...2_001) })
        #expect(exchange.status.quarantined.count == 51)
        #expect(exchange.status.quarantined.values.allSatisfy { $0.contains("20 copies") })
    }

    @Test func `a hash that is known after another one is refused`() throws {
        let first = try ChainSegment(first: 1, before: .start, hashes: [hash(1), hash(2), hash(3)])
        let other = try ChainSegment(first: 2, before: hash(9), hashes: [hash(4), hash(3)])
        try container.put(try #require(first), by: PeerID(2))
        try container.put(try #require(other), by: PeerID(2))
        let exchange = try read { $0.patience = .zero }
        #expect(exchange.vector.entries.count == 1)
        #expect(exchange.status.quarantined.count == 1)
    }
}
