internal import CCofferMessages
internal import CofferModel
internal import FoundationEssentials

extension MigrationWorkMessage: @unsafe CMessage {
    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__MigrationWork>) {
        unsafe coffer__v1__migration_work__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__MigrationWork>) throws(WireError) {
        let c = unsafe message.pointee
        try unsafe self.init(
            id: c.id.uuid("coffer.v1.MigrationWork.id"),
            policies: texts(c.policies, count: c.n_policies, field: "coffer.v1.MigrationWork.policies"),
            answerMilliseconds: c.answer_milliseconds)
    }

    func fill(_ c: inout Coffer__V1__MigrationWork, in arena: inout PackArena) {
        unsafe c.id = arena.uuid(id)
        unsafe (c.n_policies, c.policies) = arena.texts(policies)
        unsafe c.answer_milliseconds = answerMilliseconds
    }
}

extension MigrateObjectsRequestMessage: WireMessage, @unsafe CMessage {
    static var limit: MessageLimit { .model }

    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__MigrateObjectsRequest>) {
        unsafe coffer__v1__migrate_objects_request__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__MigrateObjectsRequest>) throws(WireError) {
        let c = unsafe message.pointee
        let source = try unsafe optional(c.source, as: ModelMessage.self)
        try unsafe self.init(
            work: c.work.uuid("coffer.v1.MigrateObjectsRequest.work"),
            migration: c.migration.uuid("coffer.v1.MigrateObjectsRequest.migration"), source: source?.model)
    }

    func fill(_ c: inout Coffer__V1__MigrateObjectsRequest, in arena: inout PackArena) throws(WireError) {
        unsafe c.work = arena.uuid(work)
        unsafe c.migration = arena.uuid(migration)
        try unsafe c.source = arena.makeOptional(source.map { ModelMessage($0) })
    }

    package init(packed bytes: RawSpan) throws(WireError) { try unsafe self.init(unpacking: bytes) }

    package func packed() throws(WireError) -> [UInt8] { try unsafe packing() }
}

extension MigrateObjectsReplyMessage: WireMessage, @unsafe CMessage {
    static var limit: MessageLimit { .small }

    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__MigrateObjectsReply>) {
        unsafe coffer__v1__migrate_objects_reply__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__MigrateObjectsReply>) throws(WireError) {
        let c = unsafe message.pointee
        unsafe self.init(isDone: c.done != 0)
    }

    func fill(_ c: inout Coffer__V1__MigrateObjectsReply, in arena: inout PackArena) {
        unsafe c.done = isDone ? 1 : 0
    }

    package init(packed bytes: RawSpan) throws(WireError) { try unsafe self.init(unpacking: bytes) }

    package func packed() throws(WireError) -> [UInt8] { try unsafe packing() }
}
