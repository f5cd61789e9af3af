package import CofferContainer
internal import CofferMerge
internal import Synchronization

/// The folder of one machine.
package struct SimulatedCarrier: ContainerCarrier {
    private let folders: SimulatedFolders
    private let index: Int
    /// Told what is read.
    package var onGet: @Sendable (ObjectName) -> Void = { _ in }

    /// The folder with a number.
    package init(folders: SimulatedFolders, index: Int) {
        self.folders = folders
        self.index = index
    }

    package var traits: CarrierTraits { CarrierTraits(goodObjectByteCount: 1 << 20, tellsOfChanges: false) }

    package func look() throws(CarrierError) -> ContainerSighting {
        let (hiding, files) = folders.world.withLock { ($0.hidden[index]?.hiding, $0.folders[index]) }
        let markers = SimulatedFolders.markers
        switch hiding {
        case .away: throw Self.unmounted
        case .bare: return ContainerSighting(fileSystem: 2, rootMarkers: [], folder: nil)
        case .emptied: return ContainerSighting(fileSystem: 1, rootMarkers: [markers.root], folder: nil)
        case .replaced:
            return ContainerSighting(
                fileSystem: 1, rootMarkers: [markers.root],
                folder: .init(markers: [markers.other], isWritable: true))
        case nil:
            let found = files.filter { $0.value.bytes != nil }.keys.compactMap { name -> ContainerID? in
                if case .marker(let marker) = ObjectName(name)?.identity { marker } else { nil }
            }
            return ContainerSighting(
                fileSystem: 1, rootMarkers: [markers.root],
                folder: .init(markers: Set(found), isWritable: true))
        }
    }

    private static let unmounted = CarrierError.away(place: "simulation", reason: "it is not mounted")

    package func list() throws(CarrierError) -> CarrierListing {
        let names = try visible { world in
            world.folders[index].filter { $0.value.bytes != nil }.map(\.key)
        }
        let objects = Set(names.compactMap { ObjectName($0) })
        let strangers = names.filter { ObjectName($0) == nil }.sorted()
        return CarrierListing(objects: objects, strangers: strangers, strangerCount: strangers.count)
    }

    package func get(_ name: ObjectName) throws(CarrierError) -> [UInt8]? {
        onGet(name)
        let (bytes, isFailing) = try visible { world in
            (world.folders[index]["\(name)"]?.bytes, world.chance(2))
        }
        if isFailing { throw .unreadable(name, reason: "the disk says so") }
        return bytes
    }

    package func put(_ object: ContainerObject) throws(CarrierError) {
        try write { $0.put(object, at: index) }
    }

    package func putRootMarker(_ object: ContainerObject) throws(CarrierError) { try write { _ in } }

    package func remove(_ names: [ObjectName]) throws(CarrierError) {
        try write { world in
            for name in names where world.folders[index]["\(name)"]?.bytes != nil {
                world.removals.append((index, name))
                world.write("\(name)", nil, at: index)
            }
        }
    }

    package func watch(
        _ body: @escaping @Sendable (CarrierHint) -> Void
    ) throws(CarrierError) -> any CarrierWatch {
        throw .unwatchable(place: "simulation", reason: "nothing happens by itself")
    }

    /// What a watch would tell: of the logs that came since a container was listed most.
    func news(for exchange: Exchange, _ hints: Draw) throws(CarrierError) -> Set<ObjectName> {
        var hints = hints
        let logs = try list().objects.subtracting(exchange.listedObjects).filter { name in
            if case .log = name.identity { true } else { false }
        }
        return Set(logs.sorted { "\($0)" < "\($1)" }.filter { _ in hints.chance(80) })
    }

    private func visible<Result>(
        _ body: (inout SimulatedFolders.World) -> Result
    ) throws(CarrierError) -> Result {
        var result: Result?
        var isAway = false
        folders.world.withLock { world in
            isAway = world.hidden[index] != nil
            if !isAway { result = body(&world) }
        }
        guard let result else { throw Self.unmounted }
        return result
    }

    private func write(_ body: (inout SimulatedFolders.World) -> Void) throws(CarrierError) {
        let refusal = folders.world.withLock { world -> CarrierError? in
            if world.hidden[index] != nil { world.trespasses += 1 }
            if let refusal = world.refusals[index] { return refusal }
            body(&world)
            return nil
        }
        if let refusal { throw refusal }
    }
}
