internal import CofferFormats
internal import CofferModel
internal import CofferWire

/// A store that is open and that several machines share, and how far it is.
public struct UbiquitousStoreStatus: Sendable, Equatable {
    /// Whose it is.
    public let application: String
    /// The model's configuration.
    public let configuration: String
    /// What the application calls it.
    public let name: String
    /// What it is called in its container.
    public let contentName: String
    /// What is known of the container: `signed-out`, `new`, `there`, `read-only`, `full`, `doubtful` (its
    /// marker is missed), `away`, `emptied`, `replaced`, `locked` (sealed with a key that is not known here),
    /// `newer` (of a later format: update Coffer).
    ///
    /// While it is `locked` or `newer` nothing is exchanged with it, and what is saved waits.
    public let condition: String
    /// What it writes under, 16 hexadecimal digits; empty before it was read.
    public let peer: String
    /// How many times it has written something for others.
    public let foldCount: UInt64
    /// How many of these are not in the container yet.
    public let unwrittenFoldCount: UInt64
    /// How many objects it shows.
    public let objectCount: UInt64
    /// 32 hexadecimal digits, equal if two machines have the same data; empty before it was read.
    public let digest: String
    /// The other copies, by number.
    public let peers: [Peer]
    /// How many objects of the container wait for others.
    public let waitingCount: UInt64
    /// Objects of the container that cannot be read, each with the reason.
    public let quarantined: [String]
    /// How many values of more than 100 KB have not come: their properties are `nil`, or null, until then.
    public let missingValueCount: UInt64
    /// Other copies that have read the same and show something else, which is a mistake of Coffer: report it.
    public let differing: [String]
    /// Why the last attempt failed; `nil` if it did not.
    public let failure: String?
    /// The number of its last transaction.
    public let savedNumber: UInt64
    /// All transactions up to this one are folded: written down for others.
    public let foldedNumber: UInt64
    /// All transactions up to this one are in the container.
    public let exportedNumber: UInt64
    /// What is missing, and why, in words.
    public let missing: [String]
    /// Bytes that went into the container since it was opened.
    public let sentByteCount: UInt64
    /// Bytes that came out of the container since it was opened.
    public let receivedByteCount: UInt64
    /// What applications have of it: `local` (no user is signed in), `fallback` (the account's own store is
    /// not complete yet), `asking` (another content is about to take its place), `live`, `rebuilding`,
    /// `gone`.
    public let state: String
    /// What is known of the account's content; `nil` if no user is signed in.
    public let firstContent: FirstContent?
    /// Where its container is below the account's folder.
    public let path: String
    /// How many required relationships lead to no object, and how many keys are another object's, since
    /// changes of several machines met.
    ///
    /// `ubiquitousViolations` lists these and others.
    public let brokenLinkCount: UInt64

    /// What is known of an account's content on a machine that may be new to it.
    public enum FirstContent: Sendable, Equatable {
        /// The container cannot be reached, or other software may still be bringing its files.
        case unknown
        /// There is nothing, and nothing is on its way.
        case empty
        /// So many of the container's logs and baselines that are known were read.
        case importing(read: UInt64, total: UInt64)
        /// There is some here.
        case present
    }

    /// Another copy of the store.
    public struct Peer: Sendable, Equatable {
        /// What it writes under: 16 hexadecimal digits.
        public let peer: String
        /// How much of what it wrote is here, with nothing missing before it.
        public let foldCount: UInt64
        /// How much of what was written here it is known to have.
        public let seenFoldCount: UInt64
        /// It is known to have all transactions of this store up to this one.
        public let seenNumber: UInt64
    }
}

extension UbiquitousStoreStatus {
    init(_ message: UbiquitousStoreMessage) {
        application = message.application
        configuration = message.configuration
        name = message.name
        contentName = message.contentName
        condition = message.condition
        peer = message.peer == 0 ? "" : HexadecimalDigits.text(of: message.peer)
        foldCount = message.lastFold
        unwrittenFoldCount = message.unwrittenFolds
        objectCount = message.objectCount
        digest = HexadecimalDigits.text(of: message.digest)
        peers = message.peers.map {
            Peer(
                peer: HexadecimalDigits.text(of: $0.peer), foldCount: $0.folds, seenFoldCount: $0.seen,
                seenNumber: $0.seenNumber)
        }
        waitingCount = message.waitingCount
        quarantined = message.quarantined
        missingValueCount = message.missingValues
        differing = message.differing.map { HexadecimalDigits.text(of: $0) }
        failure = message.failure.isEmpty ? nil : message.failure
        (savedNumber, foldedNumber, exportedNumber) = (message.saved, message.folded, message.exported)
        missing = message.missing
        (sentByteCount, receivedByteCount) = (message.sentBytes, message.receivedBytes)
        (state, path, brokenLinkCount) = (message.state, message.path, message.brokenLinks)
        firstContent = message.firstContent.map { FirstContent($0) }
    }
}

extension UbiquitousStoreStatus.FirstContent {
    init(_ message: FirstContentMessage) {
        self =
            switch message {
            case .unknown: .unknown
            case .empty: .empty
            case .importing(let read, let total): .importing(read: read, total: total)
            case .present: .present
            }
    }
}

extension ServiceConnection {
    /// The stores that are open and shared with other machines, of all applications.
    ///
    /// - Throws: `.refused` over the system bus and out of a sandbox, `.unavailable`.
    public func ubiquitousStores() throws(CofferError) -> [UbiquitousStoreStatus] {
        try client.call(.ubiquityStatus, EmptyMessage(), reply: UbiquityStatusReplyMessage.self).stores.map {
            UbiquitousStoreStatus($0)
        }
    }
}
