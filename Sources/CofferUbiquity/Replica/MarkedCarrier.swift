internal import CofferContainer

/// A carrier that puts objects only where the container's marker is.
///
/// If a container is deleted in the middle of a round, nothing is put back.
struct MarkedCarrier: ContainerCarrier {
    let carrier: any ContainerCarrier
    /// What is remembered of the container.
    let memory: ContainerMemory

    var traits: CarrierTraits { carrier.traits }
    var traffic: CarrierTraffic? { carrier.traffic }

    func look() throws(CarrierError) -> ContainerSighting { try carrier.look() }

    func list() throws(CarrierError) -> CarrierListing { try carrier.list() }

    func get(_ name: ObjectName) throws(CarrierError) -> [UInt8]? { try carrier.get(name) }

    func put(_ object: ContainerObject) throws(CarrierError) {
        try requireMarker()
        try carrier.put(object)
        do throws(CarrierError) { try requireMarker() } catch {
            // It went while the object came.
            try carrier.remove([object.packed().name])
            throw error
        }
    }

    func putRootMarker(_ object: ContainerObject) throws(CarrierError) { try carrier.putRootMarker(object) }

    func remove(_ names: [ObjectName]) throws(CarrierError) { try carrier.remove(names) }

    func watch(
        _ body: @escaping @Sendable (CarrierHint) -> Void
    ) throws(CarrierError) -> any CarrierWatch {
        try carrier.watch(body)
    }

    private func requireMarker() throws(CarrierError) {
        // Most often they are there, and nothing else needs to be looked at.
        if try carrier.isMarked(by: memory.markers, inRoot: memory.root) { return }
        let sighting = try carrier.look()
        switch memory.event(for: sighting) {
        case .ours: return
        case .sealed, .later:
            throw .away(place: "the container", reason: "its marker cannot be read here any more")
        default: throw .away(place: "the container", reason: "its marker is not there any more")
        }
    }
}
