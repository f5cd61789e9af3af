internal import CCofferMessages

extension VacuumStoreRequestMessage: WireMessage, @unsafe CMessage {
    static var limit: MessageLimit { .small }

    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__VacuumStoreRequest>) {
        unsafe coffer__v1__vacuum_store_request__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__VacuumStoreRequest>) throws(WireError) {
        unsafe self.init(store: message.pointee.store)
    }

    func fill(_ c: inout Coffer__V1__VacuumStoreRequest, in arena: inout PackArena) {
        unsafe c.store = store
    }

    package init(packed bytes: RawSpan) throws(WireError) { try unsafe self.init(unpacking: bytes) }

    package func packed() throws(WireError) -> [UInt8] { try unsafe packing() }
}

extension VacuumStoreReplyMessage: WireMessage, @unsafe CMessage {
    static var limit: MessageLimit { .small }

    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__VacuumStoreReply>) {
        unsafe coffer__v1__vacuum_store_reply__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__VacuumStoreReply>) throws(WireError) {
        let c = unsafe message.pointee
        unsafe self.init(
            doneByteCount: c.done_bytes, totalByteCount: c.total_bytes, formerByteCount: c.former_byte_count,
            byteCount: c.byte_count)
    }

    func fill(_ c: inout Coffer__V1__VacuumStoreReply, in arena: inout PackArena) {
        unsafe c.done_bytes = doneByteCount
        unsafe c.total_bytes = totalByteCount
        unsafe c.former_byte_count = formerByteCount
        unsafe c.byte_count = byteCount
    }

    package init(packed bytes: RawSpan) throws(WireError) { try unsafe self.init(unpacking: bytes) }

    package func packed() throws(WireError) -> [UInt8] { try unsafe packing() }
}
