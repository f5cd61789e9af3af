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

        /// Looks at the container, and exchanges with it if that is to be done.
        mutating func exchange(at second: Int64) throws -> [ContainerAction] {
            let now = WallTime(microseconds: second * 1_000_000)
            let actions = visit.look(carrier, as: replica.exchange.peer, at: now)
            if actions.contains(.exchange) {
                _ = try ExchangeRunner(carrier, marks: visit.memory.marks).run(replica, now: { now })
            }
            return actions
        }
    }

    /// The objects of a container, with their bytes; its markers only if `all` are asked for.
    private func objects(_ folder: Folder, all: Bool = false) throws -> [String: [UInt8]] {
        var found: [String: [UInt8]] = [:]
        for name in try folder.names() where name != "data" {
            if !all, name.hasPrefix("c-") || name.hasPrefix("x-") { continue }
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
            let marker = try #require(try folder.names().first { $0.hasPrefix("c-") })
            let markerBytes = try folder.read(marker, limit: 1_000)
            _ = try first.carrier.removeContent(of: rootMarker, at: WallTime(microseconds: 11_000_000))
            #expect(try objects(folder).isEmpty)
            var second = try Machine(2, in: root)
            #expect(try second.exchange(at: 12).contains(.exchange))
            for (name, bytes) in late { try folder.replace(name, with: bytes) }
            // The marker, too, which does not undo the removal.
            try folder.replace(marker, with: markerBytes)
            // A machine that shared what was removed puts nothing there.
            #expect(try first.exchange(at: 13).isEmpty)
            #expect(first.visit.condition == .emptied)
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

    @Test func `nothing in a container is ever rewritten`() throws {
        try withTemporaryFolder { root in
            var random = Seed(6).generator()
            var machines = try (1...2).map { try Machine($0, in: root) }
            var written: [String: [UInt8]] = [:]
            func look() throws {
                for (name, bytes) in try objects(Folder(at: "\(root)/\(Self.path)"), all: true) {
                    if let former = written[name] { #expect(former == bytes, "\(name)") }
                    written[name] = bytes
                }
            }
            for time in 0..<12 {
                for index in machines.indices {
                    let now = WallTime(microseconds: Int64(time) * 1_000_000)
                    try machines[index].replica.edit(&random, at: now)
                    _ = try machines[index].exchange(at: Int64(time))
                    try look()
                }
            }
            let rootMarker = try #require(try machines[0].carrier.look().rootMarkers.first)
            for machine in machines {
                _ = try machine.carrier.removeContent(of: rootMarker, at: WallTime(microseconds: 13_000_000))
                try look()
            }
            var later = try Machine(3, in: root)
            for time in 14...15 {
                try later.replica.edit(&random, at: WallTime(microseconds: Int64(time) * 1_000_000))
                #expect(try later.exchange(at: Int64(time)).contains(.exchange))
                try look()
            }
            for letter in ["c-", "x-", "l-", "b-", "p-"] {
                #expect(written.keys.contains { $0.hasPrefix(letter) }, "\(letter)")
            }
        }
    }

    @Test func `a removal that was cut off is finished by the next one`() throws {
        try withTemporaryFolder { root in
            var machine = try Machine(1, in: root)
            _ = try machine.exchange(at: 0)
            let sighting = try machine.carrier.look()
            let marker = try #require(sighting.folder?.markers.first)
            let content = try MarkerContent(peer: PeerID(9), time: 1, isRemoved: true).bytes()
            try machine.carrier.put(ContainerObject(.removal(marker), content: content))
            let rootMarker = try #require(sighting.rootMarkers.first)
            _ = try machine.carrier.removeContent(of: rootMarker, at: WallTime(microseconds: 2_000_000))
            let folder = try Folder(at: "\(root)/\(Self.path)")
            #expect(try folder.names().filter { $0.hasPrefix("c-") } == [])
            #expect(try machine.exchange(at: 3).isEmpty)
            #expect(machine.visit.condition == .emptied)
        }
    }

    /// A mark is the first half of a marker's id.
    @Test func `a removal of an id that only begins like a living one takes nothing away`() throws {
        try withTemporaryFolder { root in
            var random = Seed(7).generator()
            var machines = try (1...2).map { try Machine($0, in: root) }
            _ = try machines[0].exchange(at: 0)
            _ = try machines[1].exchange(at: 0)
            let marker = try #require(try machines[0].carrier.look().folder?.markers.first)
            let forged = ContainerID(high: marker.high, low: marker.low &+ 1)
            let content = try MarkerContent(peer: PeerID(9), time: 1, isRemoved: true).bytes()
            try machines[0].carrier.put(ContainerObject(.removal(forged), content: content))
            for time in 1...3 {
                for index in machines.indices {
                    let now = WallTime(microseconds: Int64(time) * 1_000_000)
                    try machines[index].replica.edit(&random, at: now)
                    #expect(try machines[index].exchange(at: Int64(time)).contains(.exchange))
                }
            }
            for index in machines.indices { _ = try machines[index].exchange(at: 4) }
            #expect(machines[0].replica.state == machines[1].replica.state)
            #expect(machines[0].replica.exchange.vector.entries.count == 2)
        }
    }
}
