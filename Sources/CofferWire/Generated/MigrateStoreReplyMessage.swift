// Made by Protos/generate: do not edit.

internal import CCofferMessages
package import CofferModel

/// The answer, and over a channel what comes before it if the caller takes items: how far it has come.
///
/// `coffer.v1.MigrateStoreReply`.
package struct MigrateStoreReplyMessage: Sendable, Equatable {
    /// Before the answer: what is done.
    package var step: MigrationProgress?
    /// The service does not know the model, or that of a stage: RegisterModel, and name those of all stages,
    /// then migrate again.
    package var needsModel: Bool
    /// What became of the objects, or would.
    package var plan: MigrationPlan?
    /// Of the transaction in the store's history; 0 if nothing was done.
    package var number: UInt64
    /// Where the copy of before is, for people; empty if none was kept.
    package var backup: String
    /// With stages: the version that the store had.
    package var origin: String
    /// With stages: what was done for each; of a dry run only what would be done next.
    package var stages: [MigratedStageMessage]
    /// With stages, of a dry run: those behind, which are looked at when it comes to that.
    package var later: [String]

    /// A message from its fields.
    package init(
        step: MigrationProgress? = nil, needsModel: Bool = false, plan: MigrationPlan? = nil,
        number: UInt64 = 0, backup: String = "", origin: String = "", stages: [MigratedStageMessage] = [],
        later: [String] = []
    ) {
        self.step = step
        self.needsModel = needsModel
        self.plan = plan
        self.number = number
        self.backup = backup
        self.origin = origin
        self.stages = stages
        self.later = later
    }
}

extension MigrateStoreReplyMessage: WireMessage, @unsafe CMessage {
    static var limit: MessageLimit { .request }

    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__MigrateStoreReply>) {
        unsafe coffer__v1__migrate_store_reply__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__MigrateStoreReply>) throws(WireError) {
        let c = unsafe message.pointee
        step = try unsafe optionalChoice(c.step.rawValue, "coffer.v1.MigrateStoreReply.step")
        needsModel = unsafe c.need_model != 0
        plan = try unsafe optional(c.plan)
        number = unsafe c.number
        backup = try unsafe c.backup.text("coffer.v1.MigrateStoreReply.backup", limit: Limits.text)
        origin = try unsafe c.origin.text("coffer.v1.MigrateStoreReply.origin")
        stages = try unsafe messages(
            c.stages, count: c.n_stages, field: "coffer.v1.MigrateStoreReply.stages", limit: Limits.list)
        later = try unsafe texts(c.later, count: c.n_later, field: "coffer.v1.MigrateStoreReply.later")
    }

    func fill(_ c: inout Coffer__V1__MigrateStoreReply, in arena: inout PackArena) throws(WireError) {
        unsafe c.step = Coffer__V1__MigrationStep(rawValue: step?.wire ?? 0)
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
