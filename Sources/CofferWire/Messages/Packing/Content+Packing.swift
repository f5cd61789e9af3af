internal import CCofferMessages

extension RemoveUbiquitousContentRequestMessage: WireMessage, @unsafe CMessage {
    static var limit: MessageLimit { .small }

    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__RemoveUbiquitousContentRequest>) {
        unsafe coffer__v1__remove_ubiquitous_content_request__init(message)
    }

    init(
        _ message: UnsafeMutablePointer<Coffer__V1__RemoveUbiquitousContentRequest>
    ) throws(WireError) {
        let c = unsafe message.pointee
        try unsafe self.init(
            name: required(c.name, "coffer.v1.RemoveUbiquitousContentRequest.name"),
            waitMilliseconds: c.wait_milliseconds)
    }

    func fill(_ c: inout Coffer__V1__RemoveUbiquitousContentRequest, in arena: inout PackArena)
        throws(WireError)
    {
        try unsafe c.name = arena.make(name)
        unsafe c.wait_milliseconds = waitMilliseconds
    }

    package init(packed bytes: RawSpan) throws(WireError) { try unsafe self.init(unpacking: bytes) }

    package func packed() throws(WireError) -> [UInt8] { try unsafe packing() }
}

extension RemoveUbiquitousContentReplyMessage: WireMessage, @unsafe CMessage {
    static var limit: MessageLimit { .small }

    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__RemoveUbiquitousContentReply>) {
        unsafe coffer__v1__remove_ubiquitous_content_reply__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__RemoveUbiquitousContentReply>) throws(WireError) {
        let c = unsafe message.pointee
        unsafe self.init(removedCount: c.removed_objects)
    }

    func fill(_ c: inout Coffer__V1__RemoveUbiquitousContentReply, in arena: inout PackArena) {
        unsafe c.removed_objects = removedCount
    }

    package init(packed bytes: RawSpan) throws(WireError) { try unsafe self.init(unpacking: bytes) }

    package func packed() throws(WireError) -> [UInt8] { try unsafe packing() }
}

extension SeedStoreRequestMessage: WireMessage, @unsafe CMessage {
    static var limit: MessageLimit { .small }

    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__SeedStoreRequest>) {
        unsafe coffer__v1__seed_store_request__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__SeedStoreRequest>) throws(WireError) {
        let c = unsafe message.pointee
        try unsafe self.init(
            store: c.store, fileName: c.file_name.text("coffer.v1.SeedStoreRequest.file_name"),
            place: c.place.text("coffer.v1.SeedStoreRequest.place"))
    }

    func fill(_ c: inout Coffer__V1__SeedStoreRequest, in arena: inout PackArena) {
        unsafe c.store = store
        unsafe c.file_name = arena.text(fileName)
        unsafe c.place = arena.text(place)
    }

    package init(packed bytes: RawSpan) throws(WireError) { try unsafe self.init(unpacking: bytes) }

    package func packed() throws(WireError) -> [UInt8] { try unsafe packing() }
}

extension SeedStoreReplyMessage: WireMessage, @unsafe CMessage {
    static var limit: MessageLimit { .small }

    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__SeedStoreReply>) {
        unsafe coffer__v1__seed_store_reply__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__SeedStoreReply>) throws(WireError) {
        let c = unsafe message.pointee
        unsafe self.init(
            seededCount: c.seeded_objects, totalCount: c.total_objects, isRepeated: c.repeated != 0)
    }

    func fill(_ c: inout Coffer__V1__SeedStoreReply, in arena: inout PackArena) {
        unsafe (c.seeded_objects, c.total_objects) = (seededCount, totalCount)
        unsafe c.repeated = isRepeated ? 1 : 0
    }

    package init(packed bytes: RawSpan) throws(WireError) { try unsafe self.init(unpacking: bytes) }

    package func packed() throws(WireError) -> [UInt8] { try unsafe packing() }
}
