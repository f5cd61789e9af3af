internal import CCofferMessages

extension HistoryConsumerMessage: @unsafe CMessage {
    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__HistoryConsumer>) {
        unsafe coffer__v1__history_consumer__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__HistoryConsumer>) throws(WireError) {
        let c = unsafe message.pointee
        try unsafe self.init(
            application: c.application.text("coffer.v1.HistoryConsumer.application"),
            name: c.name.text("coffer.v1.HistoryConsumer.name"), acknowledged: c.acknowledged, lease: c.lease)
    }

    func fill(_ c: inout Coffer__V1__HistoryConsumer, in arena: inout PackArena) {
        unsafe c.application = arena.text(application)
        unsafe c.name = arena.text(name)
        unsafe c.acknowledged = acknowledged
        unsafe c.lease = lease
    }
}

extension PurgeHistoryRequestMessage: WireMessage, @unsafe CMessage {
    static var limit: MessageLimit { .small }

    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__PurgeHistoryRequest>) {
        unsafe coffer__v1__purge_history_request__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__PurgeHistoryRequest>) throws(WireError) {
        let c = unsafe message.pointee
        unsafe self.init(
            store: c.store, before: c.before, beforeTime: c.before_time == 0 ? nil : c.before_time)
    }

    func fill(_ c: inout Coffer__V1__PurgeHistoryRequest, in arena: inout PackArena) {
        unsafe c.store = store
        unsafe c.before = before
        unsafe c.before_time = beforeTime ?? 0
    }

    package init(packed bytes: RawSpan) throws(WireError) { try unsafe self.init(unpacking: bytes) }

    package func packed() throws(WireError) -> [UInt8] { try unsafe packing() }
}

extension PurgeHistoryReplyMessage: WireMessage, @unsafe CMessage {
    static var limit: MessageLimit { .small }

    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__PurgeHistoryReply>) {
        unsafe coffer__v1__purge_history_reply__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__PurgeHistoryReply>) throws(WireError) {
        let c = unsafe message.pointee
        unsafe self.init(floor: c.floor)
    }

    func fill(_ c: inout Coffer__V1__PurgeHistoryReply, in arena: inout PackArena) {
        unsafe c.floor = floor
    }

    package init(packed bytes: RawSpan) throws(WireError) { try unsafe self.init(unpacking: bytes) }

    package func packed() throws(WireError) -> [UInt8] { try unsafe packing() }
}
