import CofferContainer
import CofferMerge
import CofferSimulation
import TestSupport
import Testing

/// Peers over folders that are carried badly.
private struct Exchanges {
    let folders: SimulatedFolders
    var replicas: [SimulatedReplica] = []
    var random: SeededGenerator
    var nextPeer: UInt64 = 1
    /// The folds that were put there, by their numbers.
    var put: [PeerID: FoldSet] = [:]
    /// Whether stores are copied and put back.
    var hasCopies = false
    /// Whether the carrier has lost files for good.
    var hasForgotten = false
    var backups: [Int: SimulatedReplica] = [:]

    static var rules: ExchangeRules {
        var rules = ExchangeRules()
        rules.step = .seconds(200 * 86_400)
        rules.logByteCount = 4_000
        rules.mergedCount = 4
        rules.baselineLogCount = 6
        rules.baselineByteCount = 3_000
        rules.recordsOfPart = 4
        return rules
    }

    init(_ count: Int, seed: Seed) {
        folders = SimulatedFolders(count, seed: seed.value)
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
        if countdown != nil, Bool.random(using: &random) { replica.beginAnew() }
        for log in replica.exchange.outbox where log.putAt != nil {
            put[log.writer, default: FoldSet()].insert(log.content.chain.folds)
        }
    }

    mutating func step() throws {
        let index = Int.random(in: replicas.indices, using: &random)
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<40: try replicas[index].edit(&random, at: folders.now)
        case 40..<75: try run(index)
        case 75..<82: try run(index, crashing: Int.random(in: 0..<12, using: &random))
        case 82..<94:
            let long = Int.random(in: 0..<10, using: &random) == 0
            folders.pass(.random(in: 1...(long ? 3 * SimulatedFolders.day : 100_000_000), using: &random))
        case 95: folders.refuse(index, .full(place: "simulation"))
        case 96: folders.refuse(index, .readOnly(place: "simulation"))
        case 94:
            folders.forget()
            hasForgotten = true
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

    /// The folds that a container has, in logs or baselines that are whole, once everything was carried.
    func covered() throws -> KnowledgeVector {
        let files = folders.finalFiles
        var covered = KnowledgeVector()
        for (name, bytes) in files {
            guard let name = ObjectName(name) else { continue }
            switch name.identity {
            case .log(let writer, let folds): covered.insert(FoldSet(folds), of: writer, chain: nil)
            case .baseline:
                let object = try ContainerObject(reading: bytes, named: name)
                let baseline = try BaselineContent(reading: object.content)
                if baseline.parts.allSatisfy({ files["\(ObjectName(.part, hash: $0))"] != nil }) {
                    covered.join(baseline.vector)
                }
            default: break
            }
        }
        return covered
    }

    func expectNothingLost(_ seed: Seed) throws {
        let covered = try covered()
        for (peer, folds) in put {
            let lost = folds.subtracting(covered.folds(of: peer))
            #expect(lost.isEmpty, "folds of \(peer) are nowhere, COFFER_SEED=\(seed)")
        }
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
    @Test(arguments: Seed.several(10), [false, true])
    func `peers end equal whatever the carrier does, and no fold is lost`(
        seed: Seed, hasCopies: Bool
    ) throws {
        var first = seed.generator()
        var world = Exchanges(Int.random(in: 2...3, using: &first), seed: seed)
        world.hasCopies = hasCopies
        for _ in 0..<160 {
            try world.step()
            guard !hasCopies, !world.hasForgotten else { continue }
            try world.expectNothingLost(seed)
        }
        try world.settle()
        if !hasCopies { try world.expectNothingLost(seed) }
        #expect(world.folders.finalFiles.count < 40 * world.replicas.count)
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
                // A baseline of which the carrier lost a part waits on: others stand for it.
                case .waiting(.part) where world.hasForgotten: break
                case .waiting(let need): Issue.record("\(name) waits for \(need)")
                case .unread, .taken: break
                }
            }
        }
    }
}
