internal import CCofferMessages
internal import CofferModel

extension MigrateStoreRequestMessage: WireMessage, @unsafe CMessage {
    static var limit: MessageLimit { .model }

    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__MigrateStoreRequest>) {
        unsafe coffer__v1__migrate_store_request__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__MigrateStoreRequest>) throws(WireError) {
        let c = unsafe message.pointee
        try unsafe self.init(
            name: required(c.name, "coffer.v1.MigrateStoreRequest.name"),
            modelID: c.model_id.digest("coffer.v1.MigrateStoreRequest.model_id"), isDryRun: c.dry_run != 0,
            keepsBackup: c.no_backup == 0, adopts: c.adopt != 0, waitMilliseconds: c.wait_milliseconds,
            route: optional(c.route), work: optional(c.work))
    }

    func fill(_ c: inout Coffer__V1__MigrateStoreRequest, in arena: inout PackArena) throws(WireError) {
        try unsafe c.name = arena.make(name)
        unsafe c.model_id = arena.data(modelID)
        unsafe c.dry_run = isDryRun ? 1 : 0
        unsafe c.no_backup = keepsBackup ? 0 : 1
        unsafe c.adopt = adopts ? 1 : 0
        unsafe c.wait_milliseconds = waitMilliseconds
        try unsafe c.route = arena.makeOptional(route)
        try unsafe c.work = arena.makeOptional(work)
    }

    package init(packed bytes: RawSpan) throws(WireError) { try unsafe self.init(unpacking: bytes) }

    package func packed() throws(WireError) -> [UInt8] { try unsafe packing() }
}

extension MigrateStoreReplyMessage: WireMessage, @unsafe CMessage {
    static var limit: MessageLimit { .request }

    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__MigrateStoreReply>) {
        unsafe coffer__v1__migrate_store_reply__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__MigrateStoreReply>) throws(WireError) {
        let c = unsafe message.pointee
        try unsafe self.init(
            step: MigrationProgress.read(c.step, "coffer.v1.MigrateStoreReply.step"),
            needsModel: c.need_model != 0, plan: optional(c.plan), number: c.number,
            backup: c.backup.text("coffer.v1.MigrateStoreReply.backup", limit: Limits.text),
            origin: c.origin.text("coffer.v1.MigrateStoreReply.origin"),
            stages: messages(
                c.stages, count: c.n_stages, field: "coffer.v1.MigrateStoreReply.stages", limit: Limits.list),
            later: texts(c.later, count: c.n_later, field: "coffer.v1.MigrateStoreReply.later"))
    }

    func fill(_ c: inout Coffer__V1__MigrateStoreReply, in arena: inout PackArena) throws(WireError) {
        unsafe c.step = MigrationProgress.written(step)
        unsafe c.need_model = needsModel ? 1 : 0
        try unsafe c.plan = arena.makeOptional(plan)
        unsafe c.number = number
        unsafe c.backup = arena.text(backup)
        unsafe c.origin = arena.text(origin)
        try unsafe (c.n_stages, c.stages) = arena.list(stages)
        unsafe (c.n_later, c.later) = arena.texts(later)
    }

    package init(packed bytes: RawSpan) throws(WireError) { try unsafe self.init(unpacking: bytes) }

    package func packed() throws(WireError) -> [UInt8] { try unsafe packing() }
}

extension MigrationProgress {
    /// The steps, by what messages call them.
    private static let wire: [(step: MigrationProgress, value: Coffer__V1__MigrationStep)] = [
        (.checking, COFFER__V1__MIGRATION_STEP__MIGRATION_STEP_CHECKING),
        (.rows, COFFER__V1__MIGRATION_STEP__MIGRATION_STEP_ROWS),
        (.indexes, COFFER__V1__MIGRATION_STEP__MIGRATION_STEP_INDEXES),
        (.history, COFFER__V1__MIGRATION_STEP__MIGRATION_STEP_HISTORY),
    ]

    /// What a message says; `nil` where it says nothing.
    fileprivate static func read(
        _ value: Coffer__V1__MigrationStep, _ field: String
    ) throws(WireError) -> MigrationProgress? {
        if value == COFFER__V1__MIGRATION_STEP__MIGRATION_STEP_UNSPECIFIED { return nil }
        guard let known = wire.first(where: { $0.value == value }) else { throw .malformed(field) }
        return known.step
    }

    fileprivate static func written(_ step: MigrationProgress?) -> Coffer__V1__MigrationStep {
        wire.first { $0.step == step }?.value ?? COFFER__V1__MIGRATION_STEP__MIGRATION_STEP_UNSPECIFIED
    }
}
