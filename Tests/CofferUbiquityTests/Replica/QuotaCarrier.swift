import CofferContainer
import Synchronization

/// For which objects a container has no room.
final class Quota: Sendable {
    private let refused = Mutex<@Sendable (ObjectIdentity) -> Bool>({ _ in false })

    /// Leaves no room for the objects for which `body` says so.
    func refuses(_ body: @escaping @Sendable (ObjectIdentity) -> Bool) { refused.withLock { $0 = body } }

    fileprivate func hasRoom(for object: ObjectIdentity) -> Bool { !refused.withLock { $0 }(object) }
}

/// A folder with a quota.
final class QuotaCarrier: ContainerCarrier {
    private let carrier: FolderCarrier
    private let quota: Quota

    init(_ carrier: FolderCarrier, _ quota: Quota) { (self.carrier, self.quota) = (carrier, quota) }

    func put(_ object: ContainerObject) throws(CarrierError) {
        guard quota.hasRoom(for: object.identity) else { throw .full(place: "here") }
        try carrier.put(object)
    }

    var traits: CarrierTraits { carrier.traits }

    func look() throws(CarrierError) -> ContainerSighting { try carrier.look() }

    func list() throws(CarrierError) -> CarrierListing { try carrier.list() }

    func get(_ name: ObjectName) throws(CarrierError) -> [UInt8]? { try carrier.get(name) }

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
