internal import CCofferMessages

extension BackupStoreRequestMessage: WireMessage, @unsafe CMessage {
    static var limit: MessageLimit { .small }

    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__BackupStoreRequest>) {
        unsafe coffer__v1__backup_store_request__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__BackupStoreRequest>) throws(WireError) {
        let c = unsafe message.pointee
        try unsafe self.init(
            store: c.store, fileName: c.file_name.text("coffer.v1.BackupStoreRequest.file_name"),
            place: c.place.text("coffer.v1.BackupStoreRequest.place"), replaces: c.replaces != 0,
            isOneFile: c.one_file != 0)
    }

    func fill(_ c: inout Coffer__V1__BackupStoreRequest, in arena: inout PackArena) {
        unsafe c.store = store
        unsafe c.file_name = arena.text(fileName)
        unsafe c.place = arena.text(place)
        unsafe c.replaces = replaces ? 1 : 0
        unsafe c.one_file = isOneFile ? 1 : 0
    }

    package init(packed bytes: RawSpan) throws(WireError) { try unsafe self.init(unpacking: bytes) }

    package func packed() throws(WireError) -> [UInt8] { try unsafe packing() }
}

extension BackupStoreReplyMessage: WireMessage, @unsafe CMessage {
    static var limit: MessageLimit { .small }

    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__BackupStoreReply>) {
        unsafe coffer__v1__backup_store_reply__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__BackupStoreReply>) throws(WireError) {
        let c = unsafe message.pointee
        try unsafe self.init(
            copiedByteCount: c.copied_bytes, totalByteCount: c.total_bytes,
            uuid: c.uuid.uuid("coffer.v1.BackupStoreReply.uuid"), number: c.number, byteCount: c.byte_count)
    }

    func fill(_ c: inout Coffer__V1__BackupStoreReply, in arena: inout PackArena) {
        unsafe c.copied_bytes = copiedByteCount
        unsafe c.total_bytes = totalByteCount
        unsafe c.uuid = arena.uuid(uuid)
        unsafe c.number = number
        unsafe c.byte_count = byteCount
    }

    package init(packed bytes: RawSpan) throws(WireError) { try unsafe self.init(unpacking: bytes) }

    package func packed() throws(WireError) -> [UInt8] { try unsafe packing() }
}
