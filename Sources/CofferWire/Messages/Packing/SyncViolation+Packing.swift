internal import CCofferMessages

extension ListViolationsRequestMessage: WireMessage, @unsafe CMessage {
    static var limit: MessageLimit { .small }

    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__ListViolationsRequest>) {
        unsafe coffer__v1__list_violations_request__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__ListViolationsRequest>) throws(WireError) {
        unsafe self.init(store: message.pointee.store)
    }

    func fill(_ c: inout Coffer__V1__ListViolationsRequest, in arena: inout PackArena) {
        unsafe c.store = store
    }

    package init(packed bytes: RawSpan) throws(WireError) { try unsafe self.init(unpacking: bytes) }

    package func packed() throws(WireError) -> [UInt8] { try unsafe packing() }
}

extension ListViolationsReplyMessage: WireMessage, @unsafe CMessage {
    static var limit: MessageLimit { .request }

    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__ListViolationsReply>) {
        unsafe coffer__v1__list_violations_reply__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__ListViolationsReply>) throws(WireError) {
        let c = unsafe message.pointee
        try unsafe self.init(
            count: c.count,
            violations: messages(
                c.violations, count: c.n_violations, field: "coffer.v1.ListViolationsReply.violations"))
    }

    func fill(_ c: inout Coffer__V1__ListViolationsReply, in arena: inout PackArena) throws(WireError) {
        unsafe c.count = count
        try unsafe (c.n_violations, c.violations) = arena.list(violations)
    }

    package init(packed bytes: RawSpan) throws(WireError) { try unsafe self.init(unpacking: bytes) }

    package func packed() throws(WireError) -> [UInt8] { try unsafe packing() }
}

extension SyncViolationMessage: @unsafe CMessage {
    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__SyncViolation>) {
        unsafe coffer__v1__sync_violation__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__SyncViolation>) throws(WireError) {
        let c = unsafe message.pointee
        try unsafe self.init(
            entity: c.entity.text("coffer.v1.SyncViolation.entity"), primaryKey: c.primary_key,
            properties: texts(
                c.properties, count: c.n_properties, field: "coffer.v1.SyncViolation.properties"),
            reason: c.reason.text("coffer.v1.SyncViolation.reason"),
            text: c.text.text("coffer.v1.SyncViolation.text"))
    }

    func fill(_ c: inout Coffer__V1__SyncViolation, in arena: inout PackArena) throws(WireError) {
        unsafe c.primary_key = primaryKey
        unsafe c.entity = arena.text(entity)
        unsafe (c.n_properties, c.properties) = arena.texts(properties)
        unsafe c.reason = arena.text(reason)
        unsafe c.text = arena.text(text)
    }
}
