/// What a peer remembers of a container, so that it knows another one in its place.
package struct ContainerMemory: Hashable, Sendable {
    /// The container's markers that were seen: several if devices began at once, which are one container.
    package private(set) var markers: Set<ContainerID> = []
    /// The root's.
    package private(set) var rootMarkers: Set<ContainerID> = []
    /// Those in the container that said, when it was last seen, that content was removed; none of ours.
    private var removedMarkers: Set<ContainerID> = []
    /// Which file system the root was on.
    package private(set) var fileSystem: UInt64?
    /// The root that it has to be in; `nil` if any will do.
    package var root: ContainerID?

    /// Nothing was seen yet.
    package init() {}

    /// What was kept of a memory.
    package init(markers: Set<ContainerID>, rootMarkers: Set<ContainerID>) {
        (self.markers, self.rootMarkers) = (markers, rootMarkers)
    }

    /// What a sighting tells.
    package func event(for sighting: ContainerSighting) -> ContainerEvent {
        let found = sighting.folder?.liveMarkers ?? []
        if let root, !sighting.rootMarkers.contains(root) { return .unreachable }
        // Also if another machine began again: a store that shared what was removed is told of that first.
        if isRemoved(in: sighting) { return .removed }
        if !markers.isDisjoint(with: found) {
            return sighting.folder?.barrier ?? .ours(sighting.folder?.isWritable == true ? .open : .readOnly)
        }
        if markers.isEmpty { return found.isEmpty ? .nothing : sighting.folder?.barrier ?? .others }
        // Without the root's marker it may be the bare place where a disk is to be mounted, or another disk.
        if rootMarkers.isDisjoint(with: sighting.rootMarkers) { return .unreachable }
        return found.isEmpty ? .gone : .others
    }

    /// Remembers what is there as ours, as far as it is with something that is: markers beside ours mean that
    /// devices began at once.
    package mutating func note(_ sighting: ContainerSighting, adopting: Bool = false) {
        let found = sighting.folder?.liveMarkers ?? []
        if isRemoved(in: sighting) { return }
        removedMarkers = sighting.folder?.removedMarkers ?? []
        guard adopting || !markers.isDisjoint(with: found) else { return }
        markers.formUnion(found)
        rootMarkers.formUnion(sighting.rootMarkers)
        fileSystem = sighting.fileSystem
    }

    /// What tells objects that are for it from those of content that was removed there before.
    package var marks: ContainerMarks {
        ContainerMarks(
            own: markers.min().flatMap { ContainerMark($0) },
            // A mark is half of an id, which anybody can choose: one of ours is never one that was removed.
            removed: Set(removedMarkers.compactMap { ContainerMark($0) })
                .subtracting(markers.compactMap { ContainerMark($0) }))
    }

    private func isRemoved(in sighting: ContainerSighting) -> Bool {
        !markers.isDisjoint(with: sighting.folder?.removedMarkers ?? [])
    }

    /// Remembers markers that were put there.
    package mutating func note(marker: ContainerID, rootMarker: ContainerID) {
        markers.insert(marker)
        rootMarkers.insert(rootMarker)
    }
}

extension ContainerSighting.Folder {
    /// What says that the content is not for this version of Coffer, or not without a key; `nil` if nothing
    /// does.
    ///
    /// A later format comes first: its keys may be others.
    fileprivate var barrier: ContainerEvent? {
        let faults = unreadableMarkers.filter { liveMarkers.contains($0.key) }.values
        let versions = faults.compactMap { if case .newer(let version) = $0 { version } else { nil } }
        if let version = versions.max() { return .later(version: version) }
        let keys = faults.compactMap { if case .locked(let key) = $0 { key } else { nil } }
        return keys.min { $0.number < $1.number }.map { .sealed($0) }
    }
}

extension ContainerEvent {
    /// What a carrier's error tells; `nil` if it is about one object.
    package init?(_ error: CarrierError) {
        switch error {
        case .away, .forbidden, .overfull: self = .unreachable
        case .readOnly: self = .refused(.readOnly)
        case .full: self = .refused(.full)
        case .unreadable, .unwatchable, .tooLarge: return nil
        }
    }
}
