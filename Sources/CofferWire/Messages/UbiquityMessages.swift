/// `coffer.v1.UbiquityStatusReply`.
package struct UbiquityStatusReplyMessage: Sendable, Equatable {
    /// In the order of application and name.
    package var stores: [UbiquitousStoreMessage]

    /// A reply from its field.
    package init(stores: [UbiquitousStoreMessage]) { self.stores = stores }
}

/// `coffer.v1.UbiquitousStore`: a store that several machines share.
package struct UbiquitousStoreMessage: Sendable, Equatable {
    /// Which store; all fields are said.
    package var name: StoreNameMessage
    /// What it is called in its container.
    package var contentName: String
    /// A word for what is known of the container.
    package var condition: String
    /// What it writes under; 0 before it was read.
    package var peer: UInt64 = 0
    /// The number of its last fold.
    package var lastFold: UInt64 = 0
    /// How many of its folds are not in the container yet.
    package var unwrittenFolds: UInt64 = 0
    /// How many objects it shows.
    package var objectCount: UInt64 = 0
    /// 16 bytes; empty before it was read.
    package var digest: [UInt8] = []
    /// The others, by number.
    package var peers: [UbiquityPeerMessage] = []
    /// How many objects of the container wait for others.
    package var waitingCount: UInt64 = 0
    /// Objects that cannot be read, each with the reason.
    package var quarantined: [String] = []
    /// Peers that have the same folds and not the same data.
    package var differing: [UInt64] = []
    /// Why the last attempt failed; empty where it did not.
    package var failure = ""
    /// How many large values have not come.
    package var missingValues: UInt64 = 0
    /// The number of its last transaction.
    package var saved: UInt64 = 0
    /// All transactions up to this one are written down for others.
    package var folded: UInt64 = 0
    /// All transactions up to this one are in the container.
    package var exported: UInt64 = 0
    /// What is missing, and why.
    package var missing: [String] = []
    /// Bytes that went into the container since it was opened.
    package var sentBytes: UInt64 = 0
    /// Bytes that came out of it since.
    package var receivedBytes: UInt64 = 0
    /// A word for what applications have of it.
    package var state = ""
    /// What is known of the account's content; `nil` where nobody is signed in.
    package var firstContent: FirstContentMessage?
    /// Where its container is below the account's folder.
    package var path = ""
    /// How many required relationships and keys merging left without what they need.
    package var brokenLinks: UInt64 = 0

    /// A store of which only names and condition are known.
    package init(name: StoreNameMessage, contentName: String, condition: String) {
        (self.name, self.contentName, self.condition) = (name, contentName, condition)
    }
}

/// `coffer.v1.UbiquityPeer`: another copy of a shared store.
package struct UbiquityPeerMessage: Sendable, Equatable {
    /// What it writes under.
    package var peer: UInt64
    /// Its last fold that is here, with none missing before it.
    package var folds: UInt64
    /// The last of the own folds that it is known to have.
    package var seen: UInt64
    /// It is known to have all transactions up to this one.
    package var seenNumber: UInt64

    /// A peer from its fields.
    package init(peer: UInt64, folds: UInt64, seen: UInt64, seenNumber: UInt64 = 0) {
        (self.peer, self.folds, self.seen, self.seenNumber) = (peer, folds, seen, seenNumber)
    }
}
