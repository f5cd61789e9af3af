/// How far saves are to be on their way to other machines before a wait for them ends.
@nonexhaustive
public enum SyncStage: Sendable, Equatable {
    /// They are written down for other machines: whatever happens to the container, nothing of it is lost.
    case folded
    /// The container has them: from there on it is with the software that carries it.
    case exported
    /// Other copies of the store have told that they have them, which takes as long as the container is
    /// carried there and back.
    case seen(by: Readers)

    /// Which other copies are meant.
    public enum Readers: Sendable, Equatable {
        /// Whichever is first.
        case anyone
        /// All that are known by then; one that is lost is waited for, too.
        case everyone
        /// Those that write under these ids, as `UbiquitousStoreStatus.Peer.peer` has them.
        case peers(Set<String>)
    }
}

/// How far saves are on their way to other machines.
public struct SyncProgress: Sendable, Equatable {
    /// The last of the saves that are asked about.
    public let number: UInt64
    /// What is known of their store.
    public let status: UbiquitousStoreStatus

    init(of number: UInt64, _ status: UbiquitousStoreStatus) {
        self.number = number
        self.status = status
    }

    /// Whether they are written down for other machines.
    public var isFolded: Bool { status.foldedNumber >= number }

    /// Whether the container has them.
    public var isExported: Bool { status.exportedNumber >= number }

    /// The other copies that are known to have them, by what they write under.
    public var readers: [String] { status.peers.filter { $0.seenNumber >= number }.map(\.peer) }

    /// What keeps them, in words; empty if they are as far as can be known.
    public var missing: [String] { status.missing }

    /// Whether they have come that far.
    public func has(_ stage: SyncStage) -> Bool {
        switch stage {
        case .folded: isFolded
        case .exported: isExported
        case .seen(by: .anyone): !readers.isEmpty
        case .seen(by: .everyone): !status.peers.isEmpty && readers.count == status.peers.count
        case .seen(by: .peers(let peers)): peers.isSubset(of: readers)
        }
    }
}
