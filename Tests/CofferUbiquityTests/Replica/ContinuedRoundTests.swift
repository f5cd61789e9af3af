import Coffer
import CofferContainer
import CofferCoordination
import CofferLinux
import CofferMerge
import CofferModel
import CofferStores
import CofferUbiquity
import ContextSupport
import Foundation
import Synchronization
import TestSupport
import Testing

/// What comes after a container was listed, and is told of, while nothing else happens there.
@Suite struct ContinuedRoundTests {
    /// A folder of which each look at all of it is counted.
    private final class CountingCarrier: ContainerCarrier {
        let folder: FolderCarrier
        private let counts = Mutex((looks: 0, lists: 0))

        init(_ folder: FolderCarrier) { self.folder = folder }

        var count: Int { counts.withLock { $0.looks + $0.lists } }

        var traits: CarrierTraits { folder.traits }

        func look() throws(CarrierError) -> ContainerSighting {
            counts.withLock { $0.looks += 1 }
            return try folder.look()
        }

        func isMarked(
            by markers: Set<ContainerID>, inRoot root: ContainerID?
        ) throws(CarrierError) -> Bool { try folder.isMarked(by: markers, inRoot: root) }

        func list() throws(CarrierError) -> CarrierListing {
            counts.withLock { $0.lists += 1 }
            return try folder.list()
        }

        func get(_ name: ObjectName) throws(CarrierError) -> [UInt8]? { try folder.get(name) }

        func put(_ object: ContainerObject) throws(CarrierError) { try folder.put(object) }

        func putRootMarker(_ object: ContainerObject) throws(CarrierError) {
            try folder.putRootMarker(object)
        }

        func remove(_ names: [ObjectName]) throws(CarrierError) { try folder.remove(names) }

        func watch(
            _ body: @escaping @Sendable (CarrierHint) -> Void
        ) throws(CarrierError) -> any CarrierWatch { try folder.watch(body) }
    }

    /// Two machines that share a folder; how often one of them looks at all of it is counted.
    private struct World {
        let one: Device
        let other: Device
        let carrier: CountingCarrier
        /// The store's folder.
        let container: String

        init(in folder: String, _ change: (inout ExchangeRules) -> Void = { _ in }) throws {
            let (clock, root) = (TestClock(), "\(folder)/root")
            try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
            let model = try teams()
            var rules = ExchangeRules()
            change(&rules)
            let carrier = CountingCarrier(
                try FolderCarrier(root: root, path: "\(Device.application)/Store"))
            one = try Device(model, in: "\(folder)/one", sharing: root, clock: clock, rules: rules) { _ in
                carrier
            }
            other = try Device(model, in: "\(folder)/other", sharing: root, clock: clock)
            self.carrier = carrier
            container = "\(root)/\(Device.application)/Store"
            one.run()
            other.run()
        }

        /// Saves a person on a machine.
        func save(_ name: String, on device: Device) throws {
            let context = device.context()
            try context.make("Person", ["name": .string(name)])
            try context.save()
        }

        /// The logs in the folder.
        var logs: Set<ObjectName> {
            get throws {
                try carrier.folder.list().objects.filter { name in
                    if case .log = name.identity { true } else { false }
                }
            }
        }

        /// Lets the first machine work, told of objects.
        func run(toldOf names: Set<ObjectName> = []) {
            one.work.run(.objects(names))
            #expect(one.status.failure == nil)
        }

        func close() throws {
            try one.close()
            try other.close()
        }
    }

    @Test func `what is saved is put there without a look at the rest, until logs may be merged`() throws {
        try withTemporaryFolder { folder in
            let world = try World(in: folder) { $0.mergedCount = 5 }
            let before = world.carrier.count
            #expect(before > 0)
            for number in 1...4 {
                try world.save("person \(number)", on: world.one)
                world.run()
                #expect(try world.logs.count == number)
                #expect(world.one.status.unwrittenFolds == 0)
            }
            #expect(world.carrier.count == before)
            try world.save("person 5", on: world.one)
            world.run()
            #expect(try world.logs.count == 5)
            try world.save("person 6", on: world.one)
            world.run()
            #expect(world.carrier.count > before)
            world.other.run()
            #expect(try contents(of: world.other) == contents(of: world.one))
            try world.close()
        }
    }

    @Test func `a log that is told of is read without a look at the rest`() throws {
        try withTemporaryFolder { folder in
            let world = try World(in: folder)
            let before = world.carrier.count
            for number in 1...3 {
                try world.save("person \(number)", on: world.other)
                let former = try world.logs
                world.other.run()
                world.run(toldOf: try world.logs.subtracting(former))
                #expect(try contents(of: world.one) == contents(of: world.other))
            }
            #expect(world.carrier.count == before)
            try world.close()
        }
    }

    @Test func `a log that is told of before an earlier one waits for that`() throws {
        try withTemporaryFolder { folder in
            let world = try World(in: folder)
            var logs: [Set<ObjectName>] = []
            for number in 1...3 {
                try world.save("person \(number)", on: world.other)
                let former = try world.logs
                world.other.run()
                logs.append(try world.logs.subtracting(former))
            }
            let before = world.carrier.count
            for names in logs.reversed() {
                #expect(try contents(of: world.one).isEmpty)
                world.run(toldOf: names)
            }
            #expect(try contents(of: world.one) == contents(of: world.other))
            #expect(world.carrier.count == before)
            try world.close()
        }
    }

    @Test func `whatever else is told of has all looked at`() throws {
        try withTemporaryFolder { folder in
            let world = try World(in: folder)
            try world.save("Ada", on: world.one)
            world.run()
            let log = try #require(try world.logs.first)
            try FileManager.default.removeItem(atPath: "\(world.container)/\(log)")
            let before = world.carrier.count
            world.run(toldOf: [log])
            #expect(world.carrier.count > before)
            #expect(try world.logs == [log], "it is put there again")
            try world.close()
        }
    }

    @Test func `nothing is put where the marker is not any more`() throws {
        try withTemporaryFolder { folder in
            let world = try World(in: folder)
            try FileManager.default.removeItem(atPath: world.container)
            try world.save("Ada", on: world.one)
            world.run()
            #expect(!FileManager.default.fileExists(atPath: world.container))
            #expect(world.one.status.unwrittenFolds == 1)
            #expect(world.one.status.condition != .there(.open))
            try world.close()
        }
    }

    @Test(arguments: [0, 10]) func `nothing is put where content was removed`(bytesLost: Int) throws {
        try withTemporaryFolder { folder in
            let world = try World(in: folder)
            let names = try FileManager.default.contentsOfDirectory(atPath: world.container)
            let markers = names.compactMap { ObjectName($0)?.identity.marker }
            let marker = try #require(markers.first)
            let roots = try world.carrier.folder.look().rootMarkers
            let root = try #require(roots.first)
            _ = try world.carrier.folder.removeContent(of: root, at: WallTime(microseconds: 1))
            // A carrier may have brought a part of what says so.
            let removal = "\(world.container)/x-\(marker).coffer"
            let bytes = try Data(contentsOf: URL(fileURLWithPath: removal))
            try bytes.dropLast(bytesLost).write(to: URL(fileURLWithPath: removal))
            try world.save("Ada", on: world.one)
            world.run()
            #expect(try world.logs.isEmpty)
            #expect(world.one.status.condition != .there(.open))
            try world.close()
        }
    }
}

extension ObjectIdentity {
    fileprivate var marker: ContainerID? { if case .marker(let container) = self { container } else { nil } }
}
