// Made by Protos/generate: do not edit.

internal import CCofferMessages
package import CofferModel

/// What was done for one stage, or would be.
///
/// `coffer.v1.MigratedStage`.
package struct MigratedStageMessage: Sendable, Equatable {
    /// The version that it led to.
    package var name: String
    /// What became of the objects, or would.
    package var plan: MigrationPlan
    /// Of the transaction in the store's history; 0 if nothing was done.
    package var number: UInt64
    /// Where the copy of before is, for people; empty if none was kept.
    package var backup: String

    /// A message from its fields.
    package init(name: String, plan: MigrationPlan, number: UInt64 = 0, backup: String = "") {
        self.name = name
        self.plan = plan
        self.number = number
        self.backup = backup
    }
}

extension MigratedStageMessage: @unsafe CMessage {
    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__MigratedStage>) {
        unsafe coffer__v1__migrated_stage__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__MigratedStage>) throws(WireError) {
        let c = unsafe message.pointee
        name = try unsafe c.name.text("coffer.v1.MigratedStage.name")
        plan = try unsafe required(c.plan, "coffer.v1.MigratedStage.plan")
        number = unsafe c.number
        backup = try unsafe c.backup.text("coffer.v1.MigratedStage.backup", limit: Limits.text)
    }

    func fill(_ c: inout Coffer__V1__MigratedStage, in arena: inout PackArena) throws(WireError) {
        unsafe c.name = arena.text(name)
        try unsafe c.plan = arena.make(plan)
        unsafe c.number = number
        unsafe c.backup = arena.text(backup)
    }
}
