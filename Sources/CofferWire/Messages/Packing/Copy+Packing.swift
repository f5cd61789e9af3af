internal import CCofferMessages
internal import CofferModel

extension CopyStoreRequestMessage: WireMessage, @unsafe CMessage {
    static var limit: MessageLimit { .small }

    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__CopyStoreRequest>) {
        unsafe coffer__v1__copy_store_request__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__CopyStoreRequest>) throws(WireError) {
        let c = unsafe message.pointee
        guard let type = try unsafe StoreType.read(c.type, "coffer.v1.CopyStoreRequest.type") else {
            throw .malformed("coffer.v1.CopyStoreRequest.type")
        }
        try unsafe self.init(
            store: c.store, fileName: c.file_name.text("coffer.v1.CopyStoreRequest.file_name"),
            place: c.place.text("coffer.v1.CopyStoreRequest.place"), type: type, isPlain: c.plain != 0,
            configuration: c.configuration.text("coffer.v1.CopyStoreRequest.configuration"))
    }

    func fill(_ c: inout Coffer__V1__CopyStoreRequest, in arena: inout PackArena) {
        unsafe c.store = store
        unsafe c.file_name = arena.text(fileName)
        unsafe c.place = arena.text(place)
        unsafe c.type = StoreType.written(type)
        unsafe c.plain = isPlain ? 1 : 0
        unsafe c.configuration = arena.text(configuration)
    }

    package init(packed bytes: RawSpan) throws(WireError) { try unsafe self.init(unpacking: bytes) }

    package func packed() throws(WireError) -> [UInt8] { try unsafe packing() }
}

extension CopyStoreReplyMessage: WireMessage, @unsafe CMessage {
    static var limit: MessageLimit { .request }

    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__CopyStoreReply>) {
        unsafe coffer__v1__copy_store_reply__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__CopyStoreReply>) throws(WireError) {
        let c = unsafe message.pointee
        try unsafe self.init(
            copiedCount: c.copied_objects, totalCount: c.total_objects, made: optional(c.made))
    }

    func fill(_ c: inout Coffer__V1__CopyStoreReply, in arena: inout PackArena) throws(WireError) {
        unsafe c.copied_objects = copiedCount
        unsafe c.total_objects = totalCount
        try unsafe c.made = arena.makeOptional(made)
    }

    package init(packed bytes: RawSpan) throws(WireError) { try unsafe self.init(unpacking: bytes) }

    package func packed() throws(WireError) -> [UInt8] { try unsafe packing() }
}

extension CopiedStoreMessage: @unsafe CMessage {
    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__CopiedStore>) {
        unsafe coffer__v1__copied_store__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__CopiedStore>) throws(WireError) {
        let c = unsafe message.pointee
        try unsafe self.init(
            formerUUID: c.former_uuid.uuid("coffer.v1.CopiedStore.former_uuid"),
            uuid: c.uuid.uuid("coffer.v1.CopiedStore.uuid"), number: c.number,
            offsets: messages(c.offsets, count: c.n_offsets, field: "coffer.v1.CopiedStore.offsets"),
            leftOut: texts(c.left_out, count: c.n_left_out, field: "coffer.v1.CopiedStore.left_out"),
            missingCount: c.missing_values,
            missingValues: texts(
                c.first_missing, count: c.n_first_missing, field: "coffer.v1.CopiedStore.first_missing"))
    }

    func fill(_ c: inout Coffer__V1__CopiedStore, in arena: inout PackArena) throws(WireError) {
        unsafe c.former_uuid = arena.uuid(formerUUID)
        unsafe c.uuid = arena.uuid(uuid)
        unsafe c.number = number
        try unsafe (c.n_offsets, c.offsets) = arena.list(offsets)
        unsafe (c.n_left_out, c.left_out) = arena.texts(leftOut)
        unsafe c.missing_values = missingCount
        unsafe (c.n_first_missing, c.first_missing) = arena.texts(missingValues)
    }
}

extension KeyOffsetMessage: @unsafe CMessage {
    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__KeyOffset>) {
        unsafe coffer__v1__key_offset__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__KeyOffset>) throws(WireError) {
        let c = unsafe message.pointee
        try unsafe self.init(root: c.root.text("coffer.v1.KeyOffset.root"), offset: c.offset)
    }

    func fill(_ c: inout Coffer__V1__KeyOffset, in arena: inout PackArena) {
        unsafe c.root = arena.text(root)
        unsafe c.offset = offset
    }
}
