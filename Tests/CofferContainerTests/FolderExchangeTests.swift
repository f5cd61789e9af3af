import CofferContainer
import CofferLinux
import CofferMerge
import Synchronization
import TestSupport
import Testing

/// Exchanges over real folders, with processes that are killed.
struct FolderExchangeTests {
    private static let path = "notes/main"
    private static let object = ContainerObject(
        .log(PeerID(7), folds: 1...2), content: [UInt8](repeating: 3, count: 100_000))

    /// Ends this process as kill -9 does.
    private static func die() { try? ProcessControl.kill(CurrentProcess.id, .kill) }

    @Test(arguments: FolderCarrier.WriteStep.allCases, [false, true])
    func `a process that is killed while it puts an object leaves it whole or not at all`(
        step: FolderCarrier.WriteStep, isDamaged: Bool
    ) async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let root = folder.path
        let (name, bytes) = Self.object.packed()
        let carrier = try FolderCarrier(root: root, path: Self.path)
        if isDamaged {
            // Then it is written beside its place, and moved there.
            let store = try Folder(at: root).makeFolders(Self.path)
            try store.replace("\(name)", with: Array(bytes.dropLast(9)))
        }
        let raw = FolderCarrier.WriteStep.allCases.firstIndex(of: step) ?? 0
        await #expect(processExitsWith: .signal(9)) { [root = root as String, raw = raw as Int] in
            let carrier = try FolderCarrier(root: root, path: FolderExchangeTests.path) { reached in
                if reached == FolderCarrier.WriteStep.allCases[raw] { FolderExchangeTests.die() }
            }
            try carrier.put(FolderExchangeTests.object)
        }
        let found = isDamaged ? try carrier.get(name) : try? carrier.get(name)
        if step == .named {
            #expect(found == bytes)
        } else {
            #expect(found == (isDamaged ? Array(bytes.dropLast(9)) : nil))
        }
        #expect(((try? carrier.list())?.strangerCount ?? 0) == 0, "what is left is hidden from carriers")
        try carrier.put(Self.object)
        #expect(try carrier.get(name) == bytes)
        let names = try Folder(at: "\(root)/\(Self.path)").names()
        #expect(names == ["\(name)"], "what was begun is taken over")
    }

    /// A store in memory that has written some folds; always the same, as one is that was kept.
    private static func writer(_ number: UInt64, folds count: Int) throws -> SimulatedReplica {
        var rules = ExchangeRules()
        rules.mergedCount = 4
        rules.baselineLogCount = 6
        let replica = SimulatedReplica(Exchange(PeerID(number), rules: rules))
        var random = Seed(number).generator()
        for fold in 0..<count {
            try replica.edit(&random, at: WallTime(microseconds: 1_000_000 + Int64(fold)))
        }
        return replica
    }

    @Test(arguments: 0..<12)
    func `a peer that is killed between writing and naming loses nothing, and nobody reads a part`(
        count: Int
    ) async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let root = folder.path
        let marker = MarkerContent(peer: PeerID(1), time: 0)
        try FolderCarrier(root: root, path: Self.path).put(
            ContainerObject(.marker(.random()), content: marker.bytes()))
        await #expect(processExitsWith: .signal(9)) { [root = root as String, count = count as Int] in
            let steps = Mutex(count)
            let carrier = try FolderCarrier(root: root, path: FolderExchangeTests.path) { _ in
                let isLast = steps.withLock { left in
                    left -= 1
                    return left < 0
                }
                if isLast { FolderExchangeTests.die() }
            }
            let replica = try FolderExchangeTests.writer(1, folds: 9)
            _ = try ExchangeRunner(carrier).run(
                replica, now: { WallTime(microseconds: 2_000_000) })
        }
        let runner = ExchangeRunner(try FolderCarrier(root: root, path: Self.path))
        let now = { WallTime(microseconds: 3_000_000) }
        let reader = SimulatedReplica(Exchange(PeerID(2)))
        _ = try runner.run(reader, now: now)
        let had = reader.exchange.vector.folds(of: PeerID(1))
        #expect(had.last == UInt64(count / 3) || had.last == UInt64((count + 1) / 3))
        #expect(had.missing.isEmpty)
        #expect(reader.state == (try Self.writer(1, folds: Int(had.last))).state)
        // What was killed goes on with what it had kept.
        let writer = try Self.writer(1, folds: 9)
        for _ in 0..<2 {
            _ = try runner.run(writer, now: now)
            _ = try runner.run(reader, now: now)
        }
        #expect(reader.state == writer.state)
        #expect(reader.exchange.known.values.allSatisfy { $0.facts != nil || $0.condition == .unread })
    }

    @Test func `two peers that watch one folder end equal, by hints alone`() throws {
        try withTemporaryFolder { root in
            let carriers = try (0..<2).map { _ in try FolderCarrier(root: root, path: Self.path) }
            // Both are there before anything is watched.
            try carriers[0].put(ContainerObject(.part, content: [1]))
            let peers = try (1...2).map { SharedReplica(try Self.writer($0, folds: 7)) }
            let wanted = peers.reduce(into: State()) { $0.join($1.state) }
            let done = ConditionLock(Set<Int>())
            let pauses = ContainerPulse.Pauses(watched: .seconds(86_400), scanned: .seconds(86_400))
            let pulses = try peers.indices.map { index in
                let (peer, carrier) = (peers[index], carriers[index])
                return try ContainerPulse(carrier, pauses: pauses) { _ in
                    do {
                        try peer.run(carrier)
                    } catch {
                        // Once both are done the folder goes.
                        if done.withLock({ $0.count < 2 }) { Issue.record("\(error)") }
                    }
                    if peer.state == wanted {
                        _ = done.withLock { $0.insert(index) }
                        done.broadcast()
                    }
                    return nil
                }
            }
            let both = done.wait(timeout: .seconds(120)) { $0.count == 2 ? true : nil }
            #expect(both == true)
            withExtendedLifetime(pulses) {}
        }
    }
}

/// A replica that one thread after the other uses.
private final class SharedReplica: Sendable {
    private let replica: Mutex<SimulatedReplica>

    init(_ replica: sending SimulatedReplica) { self.replica = Mutex(replica) }

    var state: State { replica.withLock { $0.state } }

    func run(_ carrier: FolderCarrier) throws {
        try replica.withLock { replica in
            _ = try ExchangeRunner(carrier).run(replica, now: { WallTime(microseconds: 5_000_000) })
        }
    }
}
