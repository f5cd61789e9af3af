internal import CCofferMessages

extension UbiquityStatusReplyMessage: WireMessage, @unsafe CMessage {
    static var limit: MessageLimit { .request }

    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__UbiquityStatusReply>) {
        unsafe coffer__v1__ubiquity_status_reply__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__UbiquityStatusReply>) throws(WireError) {
        let c = unsafe message.pointee
        try unsafe self.init(
            stores: messages(c.stores, count: c.n_stores, field: "coffer.v1.UbiquityStatusReply.stores"))
    }

    func fill(_ c: inout Coffer__V1__UbiquityStatusReply, in arena: inout PackArena) throws(WireError) {
        try unsafe (c.n_stores, c.stores) = arena.list(stores)
    }

    package init(packed bytes: RawSpan) throws(WireError) { try unsafe self.init(unpacking: bytes) }

    package func packed() throws(WireError) -> [UInt8] { try unsafe packing() }
}

extension UbiquitousStoreMessage: @unsafe CMessage {
    private static let digestByteCount = 16

    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__UbiquitousStore>) {
        unsafe coffer__v1__ubiquitous_store__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__UbiquitousStore>) throws(WireError) {
        let c = unsafe message.pointee
        try unsafe self.init(
            name: StoreNameMessage(
                application: c.application.text("coffer.v1.UbiquitousStore.application"),
                configuration: c.configuration.text("coffer.v1.UbiquitousStore.configuration"),
                name: c.name.text("coffer.v1.UbiquitousStore.name")),
            contentName: c.content_name.text("coffer.v1.UbiquitousStore.content_name"),
            condition: c.condition.text("coffer.v1.UbiquitousStore.condition"))
        unsafe (peer, lastFold, unwrittenFolds) = (c.peer, c.last_fold, c.unwritten_folds)
        unsafe (objectCount, waitingCount) = (c.object_count, c.waiting_count)
        digest = unsafe c.digest.array()
        guard digest.isEmpty || digest.count == Self.digestByteCount else {
            throw .malformed("coffer.v1.UbiquitousStore.digest")
        }
        peers = try unsafe messages(
            c.peers, count: c.n_peers, field: "coffer.v1.UbiquitousStore.peers")
        quarantined = try unsafe texts(
            c.quarantined, count: c.n_quarantined, field: "coffer.v1.UbiquitousStore.quarantined")
        differing = unsafe Array(UnsafeBufferPointer(start: c.differing, count: c.n_differing))
        missingValues = unsafe c.missing_values
        unsafe (saved, folded, exported) = (c.saved, c.folded, c.exported)
        unsafe (sentBytes, receivedBytes) = (c.sent_bytes, c.received_bytes)
        missing = try unsafe texts(
            c.missing, count: c.n_missing, field: "coffer.v1.UbiquitousStore.missing")
        state = try unsafe c.state.text("coffer.v1.UbiquitousStore.state")
        firstContent = try unsafe FirstContentMessage(
            c.first_content.rawValue, read: c.first_read, total: c.first_total)
        path = try unsafe c.path.text("coffer.v1.UbiquitousStore.path")
        brokenLinks = unsafe c.broken_links
        failure = try unsafe c.failure.text("coffer.v1.UbiquitousStore.failure", limit: Limits.text)
    }

    func fill(_ c: inout Coffer__V1__UbiquitousStore, in arena: inout PackArena) throws(WireError) {
        unsafe c.application = arena.text(name.application)
        unsafe c.configuration = arena.text(name.configuration)
        unsafe c.name = arena.text(name.name)
        unsafe c.content_name = arena.text(contentName)
        unsafe c.condition = arena.text(condition)
        unsafe (c.peer, c.last_fold, c.unwritten_folds) = (peer, lastFold, unwrittenFolds)
        unsafe (c.object_count, c.waiting_count) = (objectCount, waitingCount)
        unsafe c.digest = arena.data(digest)
        try unsafe (c.n_peers, c.peers) = arena.list(peers)
        unsafe (c.n_quarantined, c.quarantined) = arena.texts(quarantined)
        unsafe (c.n_differing, c.differing) = arena.numbers(differing)
        unsafe c.failure = arena.text(failure)
        unsafe c.missing_values = missingValues
        unsafe (c.saved, c.folded, c.exported) = (saved, folded, exported)
        unsafe (c.sent_bytes, c.received_bytes) = (sentBytes, receivedBytes)
        unsafe (c.n_missing, c.missing) = arena.texts(missing)
        unsafe c.state = arena.text(state)
        unsafe c.path = arena.text(path)
        unsafe c.broken_links = brokenLinks
        unsafe c.first_content = Coffer__V1__FirstContent(rawValue: firstContent?.number ?? 0)
        guard case .importing(let read, let total) = firstContent else { return }
        unsafe (c.first_read, c.first_total) = (read, total)
    }
}

extension UbiquityPeerMessage: @unsafe CMessage {
    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__UbiquityPeer>) {
        unsafe coffer__v1__ubiquity_peer__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__UbiquityPeer>) {
        let c = unsafe message.pointee
        unsafe self.init(peer: c.peer, folds: c.folds, seen: c.seen, seenNumber: c.seen_number)
    }

    func fill(_ c: inout Coffer__V1__UbiquityPeer, in arena: inout PackArena) {
        unsafe (c.peer, c.folds, c.seen, c.seen_number) = (peer, folds, seen, seenNumber)
    }
}
