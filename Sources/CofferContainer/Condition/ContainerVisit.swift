package import CofferMerge

/// Looks at a container before anything is read or written there: nothing is put where its marker is not.
///
/// A value that its owner keeps. All that it ever puts into a container are the markers of one that no
/// peer has begun yet.
package struct ContainerVisit: Hashable, Sendable {
    /// What is known of the container.
    package private(set) var condition = ContainerCondition.new
    /// What it is known by.
    package private(set) var memory = ContainerMemory()
    /// How long the marker is missed before its content counts as removed.
    package var patience = Self.usualPatience
    /// Since when the marker is missed.
    private var missedSince: WallTime?

    /// How long that is by default: carriers move what they rename.
    package static let usualPatience = Duration.seconds(60)

    /// A container that was never seen.
    package init() {}

    /// A container of which this is remembered, and that was not looked at since.
    package init(_ memory: ContainerMemory) {
        self.memory = memory
        condition = memory.markers.isEmpty ? .new : .away
    }

    /// Looks once.
    ///
    /// - Parameters:
    ///   - carrier: Where it lies.
    ///   - peer: The peer that begins the container, if none has begun it.
    ///   - now: The time.
    /// - Returns: What the owner has to do; `.exchange` if objects may be read and written.
    package mutating func look(
        _ carrier: some ContainerCarrier, as peer: PeerID, at now: WallTime
    ) -> [ContainerAction] {
        let sighting: ContainerSighting
        do throws(CarrierError) {
            sighting = try carrier.look()
        } catch {
            return take(ContainerEvent(error) ?? .unreachable, at: now)
        }
        // A peer that never saw the container, or could not read it, joins what others have begun there.
        if memory.markers.isEmpty { condition = .new }
        let event = memory.event(for: sighting)
        memory.note(sighting)
        var actions = take(event, at: now)
        if actions.contains(.adoptMarkers) { memory.note(sighting, adopting: true) }
        if actions.contains(.putMarkers) {
            actions = begin(carrier, sighting, as: peer, at: now)
        }
        if let missedSince, now.isPast(patience, since: missedSince) {
            actions += take(.minutePassed, at: now)
        }
        return actions
    }

    /// Takes what was found out, as by an exchange.
    ///
    /// - Returns: What the owner has to do.
    @discardableResult
    package mutating func take(_ event: ContainerEvent, at now: WallTime) -> [ContainerAction] {
        guard let (next, actions) = condition.transition(on: event) else { return [] }
        condition = next
        missedSince = next == .doubtful ? missedSince ?? now : nil
        return actions
    }

    /// Puts our markers there; that of the root only if the root has none.
    private mutating func begin(
        _ carrier: some ContainerCarrier, _ sighting: ContainerSighting, as peer: PeerID, at now: WallTime
    ) -> [ContainerAction] {
        let content: [UInt8]
        do throws(ObjectFault) {
            content = try MarkerContent(peer: peer, time: now.microseconds).bytes()
        } catch {
            return []
        }
        do throws(CarrierError) {
            let marker = ContainerID.random()
            let root: ContainerID? = sighting.rootMarkers.isEmpty ? .random() : nil
            // What was removed here before may have been cut off in the middle, or come late.
            if let folder = sighting.folder, !folder.removedMarkers.isEmpty {
                _ = try carrier.removeObjects()
                try carrier.removeMarkers(folder.markers.intersection(folder.removedMarkers))
            }
            if let root { try carrier.putRootMarker(ContainerObject(.marker(root), content: content)) }
            try carrier.put(ContainerObject(.marker(marker), content: content))
            let roots = root.map { [$0] } ?? sighting.rootMarkers
            for root in roots { memory.note(marker: marker, rootMarker: root) }
            return take(.accepted, at: now)
        } catch {
            return take(ContainerEvent(error) ?? .unreachable, at: now)
        }
    }
}
