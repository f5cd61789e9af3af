internal import CCofferMessages

extension ConsumerRequestMessage: WireMessage, @unsafe CMessage {
    static var limit: MessageLimit { .small }

    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__ConsumerRequest>) {
        unsafe coffer__v1__consumer_request__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__ConsumerRequest>) throws(WireError) {
        let c = unsafe message.pointee
        try unsafe self.init(
            store: c.store, name: c.name.text("coffer.v1.ConsumerRequest.name"), acknowledged: c.acknowledged,
            isRemoved: c.remove != 0, allApplications: c.all_applications != 0,
            application: c.application.text("coffer.v1.ConsumerRequest.application"))
    }

    func fill(_ c: inout Coffer__V1__ConsumerRequest, in arena: inout PackArena) {
        unsafe c.store = store
        unsafe c.name = arena.text(name)
        unsafe c.acknowledged = acknowledged
        unsafe c.remove = isRemoved ? 1 : 0
        unsafe c.all_applications = allApplications ? 1 : 0
        unsafe c.application = arena.text(application)
    }

    package init(packed bytes: RawSpan) throws(WireError) { try unsafe self.init(unpacking: bytes) }

    package func packed() throws(WireError) -> [UInt8] { try unsafe packing() }
}

extension ConsumerReplyMessage: WireMessage, @unsafe CMessage {
    static var limit: MessageLimit { .small }

    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__ConsumerReply>) {
        unsafe coffer__v1__consumer_reply__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__ConsumerReply>) throws(WireError) {
        let c = unsafe message.pointee
        try unsafe self.init(
            floor: c.floor,
            consumers: messages(c.consumers, count: c.n_consumers, field: "coffer.v1.ConsumerReply.consumers")
        )
    }

    func fill(_ c: inout Coffer__V1__ConsumerReply, in arena: inout PackArena) throws(WireError) {
        unsafe c.floor = floor
        try unsafe (c.n_consumers, c.consumers) = arena.list(consumers)
    }

    package init(packed bytes: RawSpan) throws(WireError) { try unsafe self.init(unpacking: bytes) }

    package func packed() throws(WireError) -> [UInt8] { try unsafe packing() }
}
