import CofferContainer
import Synchronization

/// A carrier whose calls break from a certain one on, as if its process had been killed there.
final class BreakingCarrier: ContainerCarrier {
    private let carrier: FolderCarrier
    private let rest: Mutex<Int>
    /// Whether the call that breaks first does its work.
    private let isAfter: Bool

    /// Breaks after so many calls.
    init(_ carrier: FolderCarrier, after count: Int, doingItsWork isAfter: Bool) {
        (self.carrier, self.isAfter) = (carrier, isAfter)
        rest = Mutex(count)
    }

    /// Whether it has broken.
    var isBroken: Bool { rest.withLock { $0 < 0 } }

    private func step<Result>(
        _ body: () throws(CarrierError) -> Result
    ) throws(CarrierError) -> Result {
        let left = rest.withLock { rest in
            rest -= 1
            return rest
        }
        if left >= 0 { return try body() }
        if left == -1, isAfter { _ = try body() }
        throw .away(place: "here", reason: "it broke")
    }

    var traits: CarrierTraits { carrier.traits }

    func look() throws(CarrierError) -> ContainerSighting {
        try step { () throws(CarrierError) in try carrier.look() }
    }

    func list() throws(CarrierError) -> CarrierListing {
        try step { () throws(CarrierError) in try carrier.list() }
    }

    func get(_ name: ObjectName) throws(CarrierError) -> [UInt8]? {
        try step { () throws(CarrierError) in try carrier.get(name) }
    }

    func put(_ object: ContainerObject) throws(CarrierError) {
        try step { () throws(CarrierError) in try carrier.put(object) }
    }

    func putRootMarker(_ object: ContainerObject) throws(CarrierError) {
        try step { () throws(CarrierError) in try carrier.putRootMarker(object) }
    }

    func remove(_ names: [ObjectName]) throws(CarrierError) {
        try step { () throws(CarrierError) in try carrier.remove(names) }
    }

    func watch(
        _ body: @escaping @Sendable (CarrierHint) -> Void
    ) throws(CarrierError) -> any CarrierWatch {
        try carrier.watch(body)
    }
}
