import CofferContainer
import CofferLinux
import CofferMerge
import TestSupport
import Testing

/// What a carrier brings of content after that was removed for all machines.
struct RemovedContentTests {
    private static let path = "notes/main"

    private struct Machine {
        let replica: SimulatedReplica
        var visit = ContainerVisit()
        let carrier: FolderCarrier

        init(_ number: UInt64, in root: String) throws {
            var rules = ExchangeRules()
            rules.step = .seconds(200 * 86_400)
            rules.baselineLogCount = 4
            replica = SimulatedReplica(Exchange(PeerID(number), rules: rules))
            carrier = try FolderCarrier(root: root, path: RemovedContentTests.path)
        }

        /// Looks at the container, and exchanges with it where that is to be.
        mutating func exchange(at second: Int64) throws -> [ContainerAction] {
            let now = WallTime(microseconds: second * 1_000_000)
            let actions = visit.look(carrier, as: replica.exchange.peer, at: now)
            if actions.contains(.exchange) {
                _ = try ExchangeRunner(carrier, marks: visit.memory.marks).run(replica, now: { now })
            }
            return actions
        }
    }

    /// The objects of a container but its markers, with their bytes.
    private func objects(_ folder: Folder) throws -> [String: [UInt8]] {
        var found: [String: [UInt8]] = [:]
        for name in try folder.names() where !name.hasPrefix("c-") && name != "data" {
            found[name] = try folder.read(name, limit: 1 << 20)
        }
        return found
    }

    @Test(arguments: [2, 6]) func `nothing that comes late of removed content is joined, and it goes`(
        folds: Int
    ) throws {
        try withTemporaryFolder { root in
            var random = Seed(5).generator()
            var first = try Machine(1, in: root)
            for fold in 0..<folds {
                // The first is written before the container is known.
                try first.replica.edit(&random, at: WallTime(microseconds: Int64(fold)))
                #expect(try first.exchange(at: Int64(fold)).contains(.exchange))
            }
            _ = try first.exchange(at: 10)
            let folder = try Folder(at: "\(root)/\(Self.path)")
            let late = try objects(folder)
            #expect(late.keys.contains { $0.hasPrefix("b-") } == (folds == 6))
            let rootMarker = try #require(try first.carrier.look().rootMarkers.first)
            _ = try first.carrier.removeContent(of: rootMarker, at: WallTime(microseconds: 11_000_000))
            #expect(try objects(folder).isEmpty)
            var second = try Machine(2, in: root)
            #expect(try second.exchange(at: 12).contains(.exchange))
            for (name, bytes) in late { try folder.replace(name, with: bytes) }
            // Whoever shared what was removed puts nothing there.
            #expect(try first.exchange(at: 13) == [.tellRemoved])
            try second.replica.edit(&random, at: WallTime(microseconds: 14_000_000))
            let own = second.replica.state
            var third = try Machine(3, in: root)
            for time in 14...15 {
                #expect(try second.exchange(at: Int64(time)).contains(.exchange))
                #expect(try third.exchange(at: Int64(time)).contains(.exchange))
            }
            #expect(second.replica.state == own && third.replica.state == own)
            let left = try objects(folder).keys.filter { late[$0] != nil && !$0.hasPrefix("p-") }
            #expect(left == [])
            #expect(third.replica.exchange.status.unreadCount == 0)
        }
    }
}
