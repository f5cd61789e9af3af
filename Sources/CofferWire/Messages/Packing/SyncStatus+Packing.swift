internal import CCofferMessages

extension SyncStatusRequestMessage: WireMessage, @unsafe CMessage {
    static var limit: MessageLimit { .small }

    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__SyncStatusRequest>) {
        unsafe coffer__v1__sync_status_request__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__SyncStatusRequest>) throws(WireError) {
        unsafe self.init(store: message.pointee.store, watches: message.pointee.watch != 0)
    }

    func fill(_ c: inout Coffer__V1__SyncStatusRequest, in arena: inout PackArena) {
        unsafe c.store = store
        unsafe c.watch = watches ? 1 : 0
    }

    package init(packed bytes: RawSpan) throws(WireError) { try unsafe self.init(unpacking: bytes) }

    package func packed() throws(WireError) -> [UInt8] { try unsafe packing() }
}

extension SyncStatusReplyMessage: WireMessage, @unsafe CMessage {
    static var limit: MessageLimit { .request }

    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__SyncStatusReply>) {
        unsafe coffer__v1__sync_status_reply__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__SyncStatusReply>) throws(WireError) {
        try unsafe self.init(store: optional(message.pointee.store))
    }

    func fill(_ c: inout Coffer__V1__SyncStatusReply, in arena: inout PackArena) throws(WireError) {
        if let store { try unsafe c.store = arena.make(store) }
    }

    package init(packed bytes: RawSpan) throws(WireError) { try unsafe self.init(unpacking: bytes) }

    package func packed() throws(WireError) -> [UInt8] { try unsafe packing() }
}
