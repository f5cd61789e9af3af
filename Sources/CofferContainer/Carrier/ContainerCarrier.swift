/// Keeps the immutable named objects of one store in one container where other peers find them.
///
/// Every call may be repeated, and none changes an object that is there and whole. What is read comes from
/// anybody: `ContainerObject` checks it.
package protocol ContainerCarrier: Sendable {
    /// What the carrier is like to use.
    var traits: CarrierTraits { get }

    /// How many bytes it has carried; `nil` if they are not counted.
    var traffic: CarrierTraffic? { get }

    /// What is to be seen of the container and its root now.
    ///
    /// - Throws: `CarrierError.away` if nothing is there; nothing is to be concluded from that.
    func look() throws(CarrierError) -> ContainerSighting

    /// Whether a look would tell that a marker of `markers` is there, none of them says that content was
    /// removed, and the marker `root` is in the root; found out by looking at these alone.
    ///
    /// - Returns: Whether that is so; `false` says nothing.
    func isMarked(by markers: Set<ContainerID>, inRoot root: ContainerID?) throws(CarrierError) -> Bool

    /// What objects there are.
    ///
    /// It may lack what is new: a listing proves no absence.
    func list() throws(CarrierError) -> CarrierListing

    /// The bytes of an object; `nil` if it is not there.
    func get(_ name: ObjectName) throws(CarrierError) -> [UInt8]?

    /// Puts an object there under its name; it is kept once this returns.
    func put(_ object: ContainerObject) throws(CarrierError)

    /// Puts a marker into the root of all containers, by which an empty place is told from a deleted
    /// container.
    func putRootMarker(_ object: ContainerObject) throws(CarrierError)

    /// Takes objects away; those that are not there count as taken.
    func remove(_ names: [ObjectName]) throws(CarrierError)

    /// Calls `body`, on a thread of its own, when something may have come or gone, until the result goes.
    ///
    /// A hint, which may be missed. None is needed for what this carrier itself puts there and removes.
    /// - Throws: `CarrierError.unwatchable` if the carrier tells of nothing: list from time to time.
    func watch(
        _ body: @escaping @Sendable (CarrierHint) -> Void
    ) throws(CarrierError) -> any CarrierWatch
}

extension ContainerCarrier {
    package var traffic: CarrierTraffic? { nil }

    package func isMarked(
        by markers: Set<ContainerID>, inRoot root: ContainerID?
    ) throws(CarrierError) -> Bool { false }
}

/// What tells that something may have come or gone, as long as it lives.
package protocol CarrierWatch: AnyObject, Sendable {}
