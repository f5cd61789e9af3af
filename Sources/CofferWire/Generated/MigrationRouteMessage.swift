// Made by Protos/generate: do not edit.

internal import CCofferMessages
package import CofferModel

/// How a store comes to a model if the two models do not tell, or not in one step.
///
/// `coffer.v1.MigrationRoute`.
package struct MigrationRouteMessage: Sendable, Equatable {
    /// What becomes of the objects; absent: the two models tell.
    package var mapping: MappingModel?
    /// All versions of the model, the oldest first and the wanted one last; empty: one step, from whatever
    /// the store has.
    package var stages: [MigrationStageMessage]

    /// A message from its fields.
    package init(mapping: MappingModel? = nil, stages: [MigrationStageMessage] = []) {
        self.mapping = mapping
        self.stages = stages
    }
}

extension MigrationRouteMessage: @unsafe CMessage {
    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__MigrationRoute>) {
        unsafe coffer__v1__migration_route__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__MigrationRoute>) throws(WireError) {
        let c = unsafe message.pointee
        mapping = try unsafe optional(c.mapping)
        stages = try unsafe messages(
            c.stages, count: c.n_stages, field: "coffer.v1.MigrationRoute.stages", limit: Limits.list)
    }

    func fill(_ c: inout Coffer__V1__MigrationRoute, in arena: inout PackArena) throws(WireError) {
        try unsafe c.mapping = arena.makeOptional(mapping)
        try unsafe (c.n_stages, c.stages) = arena.list(stages)
    }
}
