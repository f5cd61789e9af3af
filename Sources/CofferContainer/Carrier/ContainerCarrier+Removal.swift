internal import CofferMerge

extension ContainerCarrier {
    /// How many objects are taken away at once.
    private var objectsRemovedAtOnce: Int { 500 }

    /// Removes the content for good, for all machines: its markers say so first, then its objects go.
    ///
    /// It may be repeated, as after a crash. What is left goes when a machine begins the container anew.
    ///
    /// - Parameters:
    ///   - root: The account's, outside of which nothing is touched.
    ///   - now: The time.
    /// - Returns: How many objects went.
    /// - Throws: `CarrierError`; where it is `.away`, nothing was done.
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
            try put(ContainerObject(.marker(marker), content: content))
        }
        return try removeObjects()
    }

    /// Takes all objects away but the markers.
    ///
    /// - Returns: How many went.
    func removeObjects() throws(CarrierError) -> Int {
        let names = try list().objects.filter { name in
            if case .marker = name.identity { false } else { true }
        }
        var left = Array(names)[...]
        while !left.isEmpty {
            try remove(Array(left.prefix(objectsRemovedAtOnce)))
            left = left.dropFirst(objectsRemovedAtOnce)
        }
        return names.count
    }
}
