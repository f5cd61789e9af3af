internal import CofferContainer
internal import CofferMerge
internal import Synchronization

/// The folder of an account with a store's container in it, as it lies for all machines.
///
/// What is carried is there for everybody at once: what carriers do to it is the matter of other simulations.
/// Shared: all of it stands in one `Mutex`.
final class AccountContainer: Sendable {
    struct Content {
        var markers: Set<ContainerID> = []
        var removed: Set<ContainerID> = []
        private(set) var logs: [LogName: [Register]] = [:]
        private(set) var labels: Set<Int> = []

        mutating func put(_ name: LogName, _ registers: [Register]) {
            logs[name] = registers
            for case .life(let record, _) in registers { labels.insert(Int(record.low)) }
        }

        mutating func removeLogs() { (logs, labels) = ([:], []) }
    }

    let root: ContainerID
    let content = Mutex(Content())

    init(_ root: ContainerID) { self.root = root }

    /// The logs that are there.
    var logs: [LogName: [Register]] { content.withLock { $0.logs } }

    /// Puts a log there.
    func put(_ name: LogName, _ registers: [Register]) { content.withLock { $0.put(name, registers) } }

    /// The numbers of the objects that are in its logs.
    var labels: Set<Int> { content.withLock { $0.labels } }

    /// The folder of the store is deleted.
    func empty() { content.withLock { $0 = Content() } }

    /// The container is begun again there, and something is written into it.
    func replace(with marker: ContainerID, _ logs: [LogName: [Register]]) {
        content.withLock { content in
            content = Content(markers: [marker])
            for (name, registers) in logs { content.put(name, registers) }
        }
    }

    /// An account's folder as one machine sees it.
    func carrier(isAway: Bool) -> AccountCarrier { AccountCarrier(container: self, isAway: isAway) }
}

/// An account's folder as one machine sees it.
struct AccountCarrier: ContainerCarrier {
    let container: AccountContainer
    let isAway: Bool

    var traits: CarrierTraits { CarrierTraits(goodObjectByteCount: 1 << 20, tellsOfChanges: false) }

    private func reach() throws(CarrierError) {
        if isAway { throw .away(place: "simulation", reason: "it is not mounted") }
    }

    func look() throws(CarrierError) -> ContainerSighting {
        try reach()
        return container.content.withLock { content in
            let folder =
                content.markers.isEmpty
                ? nil
                : ContainerSighting.Folder(
                    markers: content.markers, removedMarkers: content.removed, isWritable: true)
            return ContainerSighting(fileSystem: 1, rootMarkers: [container.root], folder: folder)
        }
    }

    func put(_ object: ContainerObject) throws(CarrierError) {
        try reach()
        let (marker, isRemoval): (ContainerID, Bool)
        switch object.identity {
        case .marker(let container): (marker, isRemoval) = (container, false)
        case .removal(let container): (marker, isRemoval) = (container, true)
        case .keys, .log, .baseline, .part, .model, .data: return
        }
        container.content.withLock { content in
            content.markers.insert(marker)
            if isRemoval { content.removed.insert(marker) }
            // What is left of what was removed goes now, or when the container is begun again.
            if content.markers.subtracting(content.removed).subtracting([marker]).isEmpty {
                content.removeLogs()
            }
        }
    }

    func list() throws(CarrierError) -> CarrierListing {
        try reach()
        return CarrierListing(objects: [], strangers: [], strangerCount: 0)
    }

    func get(_ name: ObjectName) throws(CarrierError) -> [UInt8]? { nil }

    func putRootMarker(_ object: ContainerObject) throws(CarrierError) { try reach() }

    func remove(_ names: [ObjectName]) throws(CarrierError) { try reach() }

    func watch(
        _ body: @escaping @Sendable (CarrierHint) -> Void
    ) throws(CarrierError) -> any CarrierWatch {
        throw .unwatchable(place: "simulation", reason: "nothing happens by itself")
    }
}
