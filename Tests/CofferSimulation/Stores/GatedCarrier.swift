internal import CofferContainer
internal import Synchronization

/// The folder of one machine, to which the way may be closed: then the work on a store only folds.
///
/// Shared, by an atomic.
final class GatedCarrier: ContainerCarrier {
    private let carrier: SimulatedCarrier
    private let isClosed = Atomic<Bool>(false)

    init(_ carrier: SimulatedCarrier) { self.carrier = carrier }

    /// Closes the way to the folder, or opens it.
    func close(_ isClosed: Bool) { self.isClosed.store(isClosed, ordering: .releasing) }

    var traits: CarrierTraits { carrier.traits }

    func look() throws(CarrierError) -> ContainerSighting {
        if isClosed.load(ordering: .acquiring) {
            throw .away(place: "simulation", reason: "the gate is closed")
        }
        return try carrier.look()
    }

    func list() throws(CarrierError) -> CarrierListing { try carrier.list() }

    /// What a watch would tell.
    func news(for exchange: Exchange, _ hints: Draw) throws(CarrierError) -> Set<ObjectName> {
        try carrier.news(for: exchange, hints)
    }

    func get(_ name: ObjectName) throws(CarrierError) -> [UInt8]? { try carrier.get(name) }

    func put(_ object: ContainerObject) throws(CarrierError) { try carrier.put(object) }

    func putRootMarker(_ object: ContainerObject) throws(CarrierError) {
        try carrier.putRootMarker(object)
    }

    func remove(_ names: [ObjectName]) throws(CarrierError) { try carrier.remove(names) }

    func watch(
        _ body: @escaping @Sendable (CarrierHint) -> Void
    ) throws(CarrierError) -> any CarrierWatch {
        try carrier.watch(body)
    }
}
