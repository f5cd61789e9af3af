import CofferContainer
import CofferMerge
import Synchronization
import TestSupport

/// Folders of several machines, between which somebody's software carries files, badly.
///
/// Each machine has a folder of its own; what is written there reaches the others late, in any order, twice,
/// cut short at first, with copies beside it, and what was deleted comes back now and then.
final class SimulatedFolders: Sendable {
    struct File: Hashable {
        var bytes: [UInt8]?
        var version: Int
    }

    /// A change of one file on its way to one machine.
    struct Transfer {
        var target: Int
        var name: String
        var file: File
        var arrival: Int64
    }

    struct World {
        var folders: [[String: File]] = []
        var transfers: [Transfer] = []
        var version = 0
        var clock: Int64 = 1_000_000
        var random: SeededGenerator
        var isCalm = false
        var refusals: [Int: CarrierError] = [:]
        /// What every file would be, once all is carried.
        var latest: [String: File] = [:]
    }

    let world: Mutex<World>
    static let second: Int64 = 1_000_000
    static let day = 86_400 * second

    init(_ count: Int, seed: Seed) {
        world = Mutex(
            World(folders: [[String: File]](repeating: [:], count: count), random: seed.generator()))
    }

    var now: WallTime { WallTime(microseconds: world.withLock { $0.clock }) }

    func addFolder(copying index: Int) -> Int {
        world.withLock { world in
            world.folders.append(world.folders[index])
            return world.folders.count - 1
        }
    }

    /// Lets time pass, and what is due arrive.
    func pass(_ microseconds: Int64) {
        world.withLock { world in
            world.clock += microseconds
            let clock = world.clock
            let due = world.transfers.filter { $0.arrival <= clock }.shuffled(using: &world.random)
            world.transfers.removeAll { $0.arrival <= clock }
            for transfer in due { world.arrive(transfer) }
        }
    }

    /// From now on all arrives soon and once.
    func calm() {
        world.withLock { world in
            world.isCalm = true
            world.refusals = [:]
            for index in world.transfers.indices {
                world.transfers[index].arrival = min(world.transfers[index].arrival, world.clock + 1)
            }
            // What was cut short comes whole in the end, and everybody gets the last of each.
            for target in world.folders.indices {
                for (name, file) in world.latest {
                    world.transfers.append(
                        Transfer(target: target, name: name, file: file, arrival: world.clock + 2))
                }
                for name in world.folders[target].keys where world.latest[name] == nil {
                    world.folders[target][name] = nil
                }
            }
        }
    }

    /// Loses some files for good, as a server does that is put back.
    func forget() {
        world.withLock { world in
            let names = world.latest.filter { $0.value.bytes != nil }.keys.sorted()
            for name in names.shuffled(using: &world.random).prefix(3) {
                world.latest[name] = nil
                world.transfers.removeAll { $0.name == name }
                for index in world.folders.indices { world.folders[index][name] = nil }
            }
        }
    }

    func refuse(_ index: Int, _ error: CarrierError?) { world.withLock { $0.refusals[index] = error } }

    /// Everything that will be there once all is carried, and nobody has cut short.
    var finalFiles: [String: [UInt8]] { world.withLock { $0.latest.compactMapValues(\.bytes) } }
}

extension SimulatedFolders.World {
    mutating func write(_ name: String, _ bytes: [UInt8]?, at index: Int) {
        version += 1
        let file = SimulatedFolders.File(bytes: bytes, version: version)
        folders[index][name] = file
        latest[name] = file
        for target in folders.indices where target != index { send(name, file, to: target) }
    }

    private mutating func chance(_ percent: Int) -> Bool {
        !isCalm && Int.random(in: 0..<100, using: &random) < percent
    }

    private mutating func send(_ name: String, _ file: SimulatedFolders.File, to target: Int) {
        let day = SimulatedFolders.day
        var delay = isCalm ? 1 : Int64.random(in: 1...60 * SimulatedFolders.second, using: &random)
        if chance(5) { delay += Int64.random(in: 0...2 * day, using: &random) }
        transfers.append(.init(target: target, name: name, file: file, arrival: clock + delay))
        if chance(10) {
            transfers.append(.init(target: target, name: name, file: file, arrival: clock + 2 * delay))
        }
        if let bytes = file.bytes, chance(10) {
            // Cut short at first: the whole comes later.
            var part = file
            part.bytes = Array(bytes.prefix(Int.random(in: 0..<bytes.count, using: &random)))
            transfers.append(.init(target: target, name: name, file: part, arrival: clock + delay / 2))
        }
        if let bytes = file.bytes, chance(5) {
            let copy = SimulatedFolders.File(bytes: bytes, version: file.version)
            transfers.append(
                .init(target: target, name: "\(name.dropLast(7)) (1).coffer", file: copy, arrival: clock))
        }
    }

    mutating func arrive(_ transfer: SimulatedFolders.Transfer) {
        let present = folders[transfer.target][transfer.name]
        guard (present?.version ?? -1) <= transfer.file.version else { return }
        if present?.version == transfer.file.version,
            (present?.bytes?.count ?? 0) > (transfer.file.bytes?.count ?? 0)
        {
            return
        }
        folders[transfer.target][transfer.name] = transfer.file
        // An old client brings back what was deleted.
        if transfer.file.bytes == nil, let bytes = present?.bytes, chance(5),
            latest[transfer.name]?.bytes == nil, ObjectName(transfer.name) != nil
        {
            write(transfer.name, bytes, at: transfer.target)
        }
    }
}

/// The folder of one machine.
struct SimulatedCarrier: ContainerCarrier {
    let folders: SimulatedFolders
    let index: Int

    var traits: CarrierTraits { CarrierTraits(goodObjectByteCount: 1 << 20, tellsOfChanges: false) }

    func look() throws(CarrierError) -> ContainerSighting {
        ContainerSighting(
            fileSystem: 1, rootMarkers: [], folder: .init(markers: [], isWritable: true))
    }

    func list() throws(CarrierError) -> CarrierListing {
        let names = folders.world.withLock { world in
            world.folders[index].filter { $0.value.bytes != nil }.map(\.key)
        }
        let objects = Set(names.compactMap { ObjectName($0) })
        let strangers = names.filter { ObjectName($0) == nil }.sorted()
        return CarrierListing(objects: objects, strangers: strangers, strangerCount: strangers.count)
    }

    func get(_ name: ObjectName) throws(CarrierError) -> [UInt8]? {
        folders.world.withLock { $0.folders[index]["\(name)"]?.bytes }
    }

    func put(_ object: ContainerObject) throws(CarrierError) {
        let (name, bytes) = object.packed()
        let refusal = folders.world.withLock { world -> CarrierError? in
            if let refusal = world.refusals[index] { return refusal }
            if world.folders[index]["\(name)"]?.bytes != bytes { world.write("\(name)", bytes, at: index) }
            return nil
        }
        if let refusal { throw refusal }
    }

    func putRootMarker(_ object: ContainerObject) throws(CarrierError) {}

    func remove(_ names: [ObjectName]) throws(CarrierError) {
        let refusal = folders.world.withLock { world -> CarrierError? in
            if let refusal = world.refusals[index] { return refusal }
            for name in names where world.folders[index]["\(name)"]?.bytes != nil {
                world.write("\(name)", nil, at: index)
            }
            return nil
        }
        if let refusal { throw refusal }
    }

    func watch(_ body: @escaping @Sendable () -> Void) throws(CarrierError) -> any CarrierWatch {
        throw .unwatchable(place: "simulation", reason: "nothing happens by itself")
    }
}
