// Made by Protos/generate: do not edit.

internal import CCofferMessages
internal import CofferModel

extension MappingModel: @unsafe CMessage {
    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__MappingModel>) {
        unsafe coffer__v1__mapping_model__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__MappingModel>) throws(WireError) {
        let c = unsafe message.pointee
        let entities: [MappingModel.Entity] = try unsafe messages(
            c.entities, count: c.n_entities, field: "coffer.v1.MappingModel.entities",
            limit: Limits.modelElements)
        self.init(entities: entities)
    }

    func fill(_ c: inout Coffer__V1__MappingModel, in arena: inout PackArena) throws(WireError) {
        try unsafe (c.n_entities, c.entities) = arena.list(entities)
    }
}
