import CofferContainer
import CofferMerge
import TestSupport
import Testing

/// Peers over folders that are carried badly.
private struct Exchanges {
    let folders: SimulatedFolders
    var replicas: [SimulatedReplica] = []
    var random: SeededGenerator
    var nextPeer: UInt64 = 1
    /// All folds that were put there, each by its chain's hash.
    var put: Set<ChainHash> = []
    /// Whether stores are copied and put back.
    var hasCopies = false
    var backups: [Int: SimulatedReplica] = [:]

    static var rules: ExchangeRules {
        var rules = ExchangeRules()
        rules.tierByteCounts = [700, 2_000]
        rules.logByteCount = 4_000
        rules.mergedCount = 4
        rules.baselineLogCount = 6
        rules.baselineByteCount = 3_000
        rules.recordsOfPart = 4
        return rules
    }

    init(_ count: Int, seed: Seed) {
        folders = SimulatedFolders(count, seed: seed)
        random = seed.generator()
        for _ in 0..<count { replicas.append(SimulatedReplica(Exchange(newPeer(), rules: Self.rules))) }
    }

    mutating func newPeer() -> PeerID {
        nextPeer += 1
        return PeerID(nextPeer)
    }

    /// A round of one peer, which may crash within it.
    mutating func run(_ index: Int, crashing countdown: Int? = nil) throws {
        let replica = replicas[index]
        replica.crashCountdown = countdown
        var peers: [PeerID] = (0..<3).map { _ in newPeer() }
        do {
            let runner = ExchangeRunner(SimulatedCarrier(folders: folders, index: index))
            let outcome = try runner.run(replica, now: { folders.now }, newPeer: { peers.removeLast() })
            #expect(outcome.stepCount < 2_000, "a round ends")
        } catch is SimulatedReplica.Crash {}
        replica.crashCountdown = nil
        replica.restart()
        for log in replica.exchange.outbox where log.putAt != nil { put.formUnion(log.content.chain.hashes) }
    }

    mutating func step() throws {
        let index = Int.random(in: replicas.indices, using: &random)
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<40: try replicas[index].edit(&random, at: folders.now)
        case 40..<75: try run(index)
        case 75..<82: try run(index, crashing: Int.random(in: 0..<12, using: &random))
        case 82..<95:
            let long = Int.random(in: 0..<10, using: &random) == 0
            folders.pass(.random(in: 1...(long ? 3 * SimulatedFolders.day : 100_000_000), using: &random))
        case 95: folders.refuse(index, .full(place: "simulation"))
        case 96: folders.refuse(index, .readOnly(place: "simulation"))
        case 97 where hasCopies: backups[index] = SimulatedReplica(copying: replicas[index])
        case 98 where hasCopies:
            if let backup = backups[index] { replicas[index] = SimulatedReplica(copying: backup) }
        default:
            if hasCopies, replicas.count < 5 {
                replicas.append(SimulatedReplica(copying: replicas[index]))
                _ = folders.addFolder(copying: index)
            }
        }
        if Int.random(in: 0..<20, using: &random) == 0 { folders.refuse(index, nil) }
    }

    /// The folds that a container has, each by its chain's hash, in logs or baselines that are whole.
    func covered() throws -> (hashes: Set<ChainHash>, vectors: [KnowledgeVector]) {
        let files = folders.finalFiles
        var (hashes, vectors): (Set<ChainHash>, [KnowledgeVector]) = ([], [])
        for (name, bytes) in files {
            guard let name = ObjectName(name) else { continue }
            let object = try ContainerObject(reading: bytes, named: name)
            switch object.identity {
            case .log(_, let folds):
                hashes.formUnion(try LogContent(reading: object.content, folds: folds).chain.hashes)
            case .baseline:
                let baseline = try BaselineContent(reading: object.content)
                if baseline.parts.allSatisfy({ files["\(ObjectName(.part, hash: $0))"] != nil }) {
                    vectors.append(baseline.vector)
                }
            default: break
            }
        }
        return (hashes, vectors)
    }

    /// Lets everything arrive, and everybody read it.
    mutating func settle() throws {
        folders.calm()
        for day in 0..<30 {
            folders.pass(SimulatedFolders.day / 2 + Int64(day))
            for index in replicas.indices { try run(index) }
        }
    }
}

struct ExchangeTests {
    @Test(arguments: Seed.fresh(20), [false, true])
    func `peers end equal whatever the carrier does, and no fold is lost`(
        seed: Seed, hasCopies: Bool
    ) throws {
        var first = seed.generator()
        var world = Exchanges(Int.random(in: 2...3, using: &first), seed: seed)
        world.hasCopies = hasCopies
        for _ in 0..<160 { try world.step() }
        try world.settle()
        #expect(Set(world.replicas.map(\.state)).count == 1, "COFFER_SEED=\(seed)")
        for replica in world.replicas {
            let exchange = replica.exchange
            #expect(exchange.differing(from: replica.digest).isEmpty)
            if !hasCopies {
                #expect(exchange.vector.hasSameFolds(as: world.replicas[0].exchange.vector))
                #expect(exchange.vector.entries.values.allSatisfy { $0.folds.missing.isEmpty })
            }
            for (name, object) in exchange.known where object.facts == nil {
                switch object.condition {
                case .quarantined(let reason, _, _): Issue.record("\(name): \(reason)")
                case .waiting(let need): Issue.record("\(name) waits for \(need)")
                case .unread, .taken: break
                }
            }
        }
    }
}
