internal import CofferMerge

extension ContainerCarrier {
    /// How many objects are taken away at once.
    private var objectsRemovedAtOnce: Int { 500 }

    /// Removes the content for good, for all machines: an object for each of its markers says so first, then
    /// the others go, the markers last.
    ///
    /// It may be repeated, as after a crash. What is left goes when a machine begins the container again.
    ///
    /// - Parameters:
    ///   - root: The account's, outside of which nothing is touched.
    ///   - now: The time.
    /// - Returns: How many objects went.
    /// - Throws: `CarrierError`; if it is `.away`, nothing was done.
    package func removeContent(of root: ContainerID, at now: WallTime) throws(CarrierError) -> Int {
        let sighting = try look()
        guard sighting.rootMarkers.contains(root) else {
            throw .away(place: "the account's folder", reason: "its marker is not there")
        }
        guard let folder = sighting.folder else { return 0 }
        // A few bytes always pack.
        let marker = MarkerContent(peer: .random(), time: now.microseconds, isRemoved: true)
        let content = (try? marker.bytes()) ?? []
        for marker in folder.liveMarkers.sorted() {
            try put(ContainerObject(.removal(marker), content: content))
        }
        let count = try removeObjects()
        // Those that said so before as well: it may have ended between the two.
        try removeMarkers(folder.markers)
        return count
    }

    /// Takes the markers of removed content away: programs that know no other object for it miss them then.
    func removeMarkers(_ markers: Set<ContainerID>) throws(CarrierError) {
        if markers.isEmpty { return }
        try remove(markers.sorted().map { ObjectName(.marker($0)) })
    }

    /// Takes all objects away but the markers, and what says which of them count no more.
    ///
    /// - Returns: How many went.
    func removeObjects() throws(CarrierError) -> Int {
        let names = try list().objects.filter { name in
            switch name.identity {
            case .marker, .removal: false
            case .keys, .log, .baseline, .part, .model, .data: true
            }
        }
        var left = Array(names)[...]
        while !left.isEmpty {
            try remove(Array(left.prefix(objectsRemovedAtOnce)))
            left = left.dropFirst(objectsRemovedAtOnce)
        }
        return names.count
    }
}
