// Made by Protos/generate: do not edit.

internal import CCofferMessages
package import FoundationEssentials

/// What a client does itself in a migration, when it is asked by MigrateObjects.
///
/// `coffer.v1.MigrationWork`.
package struct MigrationWorkMessage: Sendable, Equatable {
    /// 16 bytes: what the client calls it.
    package var id: UUID
    /// Names of entity mappings, or of their classes.
    package var policies: [String]
    /// How long it may take for each answer, at most 3,600,000; 0: 60,000.
    package var answerMilliseconds: UInt32

    /// A message from its fields.
    package init(id: UUID, policies: [String], answerMilliseconds: UInt32 = 0) {
        self.id = id
        self.policies = policies
        self.answerMilliseconds = answerMilliseconds
    }
}

extension MigrationWorkMessage: @unsafe CMessage {
    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__MigrationWork>) {
        unsafe coffer__v1__migration_work__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__MigrationWork>) throws(WireError) {
        let c = unsafe message.pointee
        id = try unsafe c.id.uuid("coffer.v1.MigrationWork.id")
        policies = try unsafe texts(
            c.policies, count: c.n_policies, field: "coffer.v1.MigrationWork.policies")
        answerMilliseconds = unsafe c.answer_milliseconds
    }

    func fill(_ c: inout Coffer__V1__MigrationWork, in arena: inout PackArena) {
        unsafe c.id = arena.uuid(id)
        unsafe (c.n_policies, c.policies) = arena.texts(policies)
        unsafe c.answer_milliseconds = answerMilliseconds
    }
}
