package import CofferContainer
package import CofferMerge

/// What is to be shown of a store that several machines share.
package struct UbiquityStatus: Sendable {
    /// What is known of the container.
    package var condition = ContainerCondition.new
    /// The id that the store writes under; `nil` before it was read.
    package var peer: PeerID?
    /// The number of its last fold.
    package var lastFold: UInt64 = 0
    /// All transactions of its history up to this one are folded; 0 if none is.
    package var folded: UInt64 = 0
    /// All transactions up to this one are in the container, as far as is known.
    package var exported: UInt64 = 0
    /// For each peer: it is known to have all transactions up to this one.
    package var seenTransactions: [PeerID: UInt64] = [:]
    /// What is missing, and why, in words.
    package var missing: [String] = []
    /// Bytes that went into the container, and came out of it, since this began.
    package var sentByteCount: UInt64 = 0
    package var receivedByteCount: UInt64 = 0
    /// How many of its folds are not in the container yet.
    package var unwrittenFolds = 0
    /// For each peer that was heard of, the last fold of it that is here without a gap before it.
    package var vector: [PeerID: UInt64] = [:]
    /// For each peer the last of the own folds that it is known to have.
    package var seenBy: [PeerID: UInt64] = [:]
    /// Objects of the container that wait for others.
    package var waiting: [ObjectName] = []
    /// What each of these waits for.
    var waitingFor: [ObjectName: KnownObject.Need] = [:]
    /// How many logs and baselines of others are known of, and how many of these were not read yet.
    package var listedCount = 0
    package var unreadCount = 0
    /// Objects that cannot be read, and why.
    package var quarantined: [ObjectName: String] = [:]
    /// When the first of them is tried again.
    var nextTry: WallTime?
    /// How many large values have not come, which are seen as null.
    package var missingValueCount = 0
    /// How many required relationships and keys merging left without what they need.
    package var brokenLinkCount = 0
    /// The digest of the registers: equal if two peers have the same.
    package var digest = StateDigest()
    /// How many objects are seen.
    package var objectCount = 0
    /// Peers that have the same folds and not the same registers, which is a mistake.
    package var differing: Set<PeerID> = []
    /// Why the last attempt failed; `nil` if it did not.
    package var failure: String?
}

/// What happened that people should know.
package enum UbiquityEvent: Sendable {
    /// The container is there, away, or something else now.
    case condition(ContainerCondition)
    /// The store writes under another id, since another copy of it wrote under the same.
    case peerChanged(PeerID)
    /// Others' changes came in: so many objects were written.
    case imported(objectCount: Int)
    /// It cannot be gone on with now; it is tried again.
    case failed(String)
}
