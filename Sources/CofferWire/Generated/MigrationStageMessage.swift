// Made by Protos/generate: do not edit.

internal import CCofferMessages
package import CofferModel

/// A version of a model, and how the one before becomes it.
///
/// `coffer.v1.MigrationStage`.
package struct MigrationStageMessage: Sendable, Equatable {
    /// Unique among the stages, for people.
    package var name: String
    /// The version; absent: the service asks for it when it needs it.
    package var model: ManagedObjectModel?
    /// What becomes of the objects of the version before; absent: the two models tell.
    package var mapping: MappingModel?

    /// A message from its fields.
    package init(name: String, model: ManagedObjectModel?, mapping: MappingModel?) {
        self.name = name
        self.model = model
        self.mapping = mapping
    }
}

extension MigrationStageMessage: @unsafe CMessage {
    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__MigrationStage>) {
        unsafe coffer__v1__migration_stage__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__MigrationStage>) throws(WireError) {
        let c = unsafe message.pointee
        name = try unsafe c.name.text("coffer.v1.MigrationStage.name")
        model = try unsafe optional(c.model, as: ModelMessage.self)?.model
        mapping = try unsafe optional(c.mapping)
    }

    func fill(_ c: inout Coffer__V1__MigrationStage, in arena: inout PackArena) throws(WireError) {
        unsafe c.name = arena.text(name)
        try unsafe c.model = arena.makeOptional(model.map { ModelMessage($0) })
        try unsafe c.mapping = arena.makeOptional(mapping)
    }
}
