// Made by Protos/generate: do not edit.

internal import CCofferMessages

/// A store that several machines share.
///
/// `coffer.v1.UbiquitousStore`.
package struct UbiquitousStoreMessage: Sendable, Equatable {
    /// Whose it is.
    package var application: String
    /// Of its model.
    package var configuration: String
    /// What the application calls it.
    package var name: String
    /// What it is called in its container.
    package var contentName: String
    /// Of the container: signed-out, new, there, read-only, full, doubtful, away, emptied, replaced, locked,
    /// newer.
    package var condition: String
    /// What it writes under; 0 before it was read.
    package var peer: UInt64 = 0
    /// The number of its last fold, which is what it has written for others at once.
    package var lastFold: UInt64 = 0
    /// How many of its folds are not in the container yet.
    package var unwrittenFolds: UInt64 = 0
    /// How many objects it shows.
    package var objectCount: UInt64 = 0
    /// 16 bytes: equal if two machines have the same; empty before it was read.
    package var digest: [UInt8] = []
    /// The others, by number.
    package var peers: [UbiquityPeerMessage] = []
    /// Objects of the container that wait for others.
    package var waitingCount: UInt64 = 0
    /// Objects that cannot be read, each with the reason, for people.
    package var quarantined: [String] = []
    /// Peers that have the same folds and not the same data, which is a mistake of the program.
    package var differing: [UInt64] = []
    /// Why the last attempt failed, for people; empty if it did not.
    package var failure: String = ""
    /// How many values of more than 100 KB have not come: their properties are null.
    package var missingValues: UInt64 = 0
    /// The number of its last transaction.
    package var saved: UInt64 = 0
    /// All transactions up to this one are written down for others.
    package var folded: UInt64 = 0
    /// All transactions up to this one are in the container.
    package var exported: UInt64 = 0
    /// What is missing, and why, for people.
    package var missing: [String] = []
    /// Bytes that went into the container since it was opened.
    package var sentBytes: UInt64 = 0
    /// Bytes that came out of it since.
    package var receivedBytes: UInt64 = 0
    /// What applications have of it: local, fallback, asking, live, rebuilding, gone.
    package var state: String = ""
    /// What is known of the account's content.
    package var firstContentKind: FirstContentKind? = nil
    /// With FIRST_CONTENT_IMPORTING: how many of the container's logs and baselines were read.
    package var firstRead: UInt64 = 0
    /// With FIRST_CONTENT_IMPORTING: how many logs and baselines are known.
    package var firstTotal: UInt64 = 0
    /// Where its container is below the account's folder.
    package var path: String = ""
    /// How many required relationships lead nowhere, and keys are another object's, since changes of several
    /// machines met.
    package var brokenLinks: UInt64 = 0

    /// A message from its fields.
    package init(
        application: String, configuration: String, name: String, contentName: String, condition: String
    ) {
        self.application = application
        self.configuration = configuration
        self.name = name
        self.contentName = contentName
        self.condition = condition
    }
}

extension UbiquitousStoreMessage: @unsafe CMessage {
    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__UbiquitousStore>) {
        unsafe coffer__v1__ubiquitous_store__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__UbiquitousStore>) throws(WireError) {
        let c = unsafe message.pointee
        application = try unsafe c.application.text("coffer.v1.UbiquitousStore.application")
        configuration = try unsafe c.configuration.text("coffer.v1.UbiquitousStore.configuration")
        name = try unsafe c.name.text("coffer.v1.UbiquitousStore.name")
        contentName = try unsafe c.content_name.text("coffer.v1.UbiquitousStore.content_name")
        condition = try unsafe c.condition.text("coffer.v1.UbiquitousStore.condition")
        peer = unsafe c.peer
        lastFold = unsafe c.last_fold
        unwrittenFolds = unsafe c.unwritten_folds
        objectCount = unsafe c.object_count
        digest = try unsafe c.digest.array("coffer.v1.UbiquitousStore.digest", count: 16, orNone: true)
        peers = try unsafe messages(c.peers, count: c.n_peers, field: "coffer.v1.UbiquitousStore.peers")
        waitingCount = unsafe c.waiting_count
        quarantined = try unsafe texts(
            c.quarantined, count: c.n_quarantined, field: "coffer.v1.UbiquitousStore.quarantined")
        differing = unsafe Array(copying: c.differing, count: c.n_differing)
        failure = try unsafe c.failure.text("coffer.v1.UbiquitousStore.failure", limit: Limits.text)
        missingValues = unsafe c.missing_values
        saved = unsafe c.saved
        folded = unsafe c.folded
        exported = unsafe c.exported
        missing = try unsafe texts(c.missing, count: c.n_missing, field: "coffer.v1.UbiquitousStore.missing")
        sentBytes = unsafe c.sent_bytes
        receivedBytes = unsafe c.received_bytes
        state = try unsafe c.state.text("coffer.v1.UbiquitousStore.state")
        firstContentKind = try unsafe optionalChoice(
            c.first_content.rawValue, "coffer.v1.UbiquitousStore.first_content")
        firstRead = unsafe c.first_read
        firstTotal = unsafe c.first_total
        path = try unsafe c.path.text("coffer.v1.UbiquitousStore.path")
        brokenLinks = unsafe c.broken_links
    }

    func fill(_ c: inout Coffer__V1__UbiquitousStore, in arena: inout PackArena) throws(WireError) {
        unsafe c.application = arena.text(application)
        unsafe c.configuration = arena.text(configuration)
        unsafe c.name = arena.text(name)
        unsafe c.content_name = arena.text(contentName)
        unsafe c.condition = arena.text(condition)
        unsafe c.peer = peer
        unsafe c.last_fold = lastFold
        unsafe c.unwritten_folds = unwrittenFolds
        unsafe c.object_count = objectCount
        unsafe c.digest = arena.data(digest)
        try unsafe (c.n_peers, c.peers) = arena.list(peers)
        unsafe c.waiting_count = waitingCount
        unsafe (c.n_quarantined, c.quarantined) = arena.texts(quarantined)
        unsafe (c.n_differing, c.differing) = arena.numbers(differing)
        unsafe c.failure = arena.text(failure)
        unsafe c.missing_values = missingValues
        unsafe c.saved = saved
        unsafe c.folded = folded
        unsafe c.exported = exported
        unsafe (c.n_missing, c.missing) = arena.texts(missing)
        unsafe c.sent_bytes = sentBytes
        unsafe c.received_bytes = receivedBytes
        unsafe c.state = arena.text(state)
        unsafe c.first_content = Coffer__V1__FirstContent(rawValue: firstContentKind?.wire ?? 0)
        unsafe c.first_read = firstRead
        unsafe c.first_total = firstTotal
        unsafe c.path = arena.text(path)
        unsafe c.broken_links = brokenLinks
    }
}
