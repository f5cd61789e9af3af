/// What is known of a container, as a peer that was there before sees it.
package enum ContainerCondition: Hashable, Sendable {
    /// The root is there, and no marker was ever seen.
    case new
    /// Our marker is there.
    case there(Access)
    /// Our marker is gone, while that of the root is there: it may only be on its way.
    case doubtful
    /// It cannot be reached, or something else is where it was: nothing is concluded.
    case away
    /// Its content was deleted.
    case emptied
    /// Another container was begun in its place.
    case replaced
    /// Its marker is sealed with a key that is not known here: nothing is read or put there.
    case locked(KeyID)
    /// Its marker is of a later format: nothing is read or put there.
    case newer(version: UInt8)

    /// What may be done in a container that is there.
    package enum Access: Hashable, Sendable {
        /// All.
        case open
        /// To read.
        case readOnly
        /// To read, and to write once there is room.
        case full
    }

    /// Whether the objects in it are read, and one's own written as far as they can be.
    package var isExchanged: Bool { if case .there = self { true } else { false } }
}

/// What was found out about a container.
package enum ContainerEvent: Hashable, Sendable {
    /// There is no marker, and never was one that is known.
    case nothing
    /// A marker of ours is there, and what may be done.
    case ours(ContainerCondition.Access)
    /// There is another container's marker and none of ours.
    case others
    /// There is no marker, while that of our root is there.
    case gone
    /// Our marker says that the content was removed.
    case removed
    /// There is no root, or another one, or an error.
    case unreachable
    /// Something could not be written, for which reason.
    case refused(ContainerCondition.Access)
    /// Something was written.
    case accepted
    /// A marker that counts is sealed with a key that is not known.
    case sealed(KeyID)
    /// A marker that counts is of a later format.
    case later(version: UInt8)
    /// A minute has passed since the marker was missed.
    case minutePassed
}

/// What a change of a container's condition asks its owner to do.
package enum ContainerAction: Hashable, Sendable {
    /// Put our markers into root and folder.
    case putMarkers
    /// Take the markers that are there as ours.
    case adoptMarkers
    /// Read and write.
    case exchange
    /// Look again, each time later.
    case tryLater
}

extension ContainerCondition {
    /// The next condition and what its owner must do, or `nil` if `event` means nothing here.
    package func transition(on event: ContainerEvent) -> (
        next: ContainerCondition, actions: [ContainerAction]
    )? {
        switch event {
        case .nothing: nothingSeen
        case .ours(let access): oursSeen(access)
        case .others: othersSeen
        case .gone: goneSeen
        case .removed:
            switch self {
            case .new: nil
            case .emptied: (self, [])
            case .there, .doubtful, .away, .replaced, .locked, .newer: (.emptied, [])
            }
        case .unreachable: unreached
        case .refused(let access): refused(access)
        case .accepted: accepted
        // Each look reads the markers: these last as long as they say so.
        case .sealed(let key): (.locked(key), [])
        case .later(let version): (.newer(version: version), [])
        case .minutePassed:
            switch self {
            case .doubtful: (.emptied, [])
            case .new, .there, .away, .emptied, .replaced, .locked, .newer: nil
            }
        }
    }

    /// Only a container that was never seen can be without a marker and not be missed.
    private var nothingSeen: (ContainerCondition, [ContainerAction])? {
        switch self {
        case .new, .away: (.new, [.putMarkers])
        case .there, .doubtful, .emptied, .replaced, .locked, .newer: nil
        }
    }

    private func oursSeen(_ access: Access) -> (ContainerCondition, [ContainerAction])? {
        switch self {
        // A sighting does not say that there is room: writing does.
        case .there(.full) where access == .open: (self, [.exchange])
        case .new, .there, .doubtful, .away, .emptied, .replaced, .locked, .newer:
            (.there(access), [.exchange])
        }
    }

    private var othersSeen: (ContainerCondition, [ContainerAction])? {
        switch self {
        // A peer that never saw one joins what is there: devices may have begun at once.
        case .new: (.there(.open), [.adoptMarkers, .exchange])
        case .replaced: (self, [])
        case .there, .doubtful, .away, .emptied, .locked, .newer: (.replaced, [])
        }
    }

    private var goneSeen: (ContainerCondition, [ContainerAction])? {
        switch self {
        case .there, .away, .locked, .newer, .replaced: (.doubtful, [])
        case .doubtful, .emptied: (self, [])
        case .new: nil
        }
    }

    private var unreached: (ContainerCondition, [ContainerAction])? {
        switch self {
        case .new, .there, .doubtful, .away: (.away, [.tryLater])
        // What was told stays true until something else is seen.
        case .emptied, .replaced, .locked, .newer: (self, [.tryLater])
        }
    }

    private func refused(_ access: Access) -> (ContainerCondition, [ContainerAction])? {
        switch self {
        case .new: (.new, [.tryLater])
        case .there: access == .open ? nil : (.there(access), [.tryLater])
        case .doubtful, .away, .emptied, .replaced, .locked, .newer: nil
        }
    }

    private var accepted: (ContainerCondition, [ContainerAction])? {
        switch self {
        case .new, .there: (.there(.open), self == .new ? [.exchange] : [])
        case .doubtful, .away, .emptied, .replaced, .locked, .newer: nil
        }
    }
}
