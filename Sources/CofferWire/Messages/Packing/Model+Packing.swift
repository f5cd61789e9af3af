internal import CCofferMessages
package import CofferModel
internal import FoundationEssentials

/// `coffer.v1.Model`: a managed object model as it travels, and as its id is made of.
///
/// Canonical: the same model packs into the same bytes, in whichever order its parts were declared. Entities
/// go in the order of their numbers, properties, configurations and notes by name; numbers and decimals that
/// are equal look alike.
package struct ModelMessage: Sendable, Equatable {
    /// The model.
    package var model: ManagedObjectModel

    /// A message of `model`.
    package init(_ model: ManagedObjectModel) { self.model = model }

    /// The bytes that the model's id is the SHA-256 of.
    ///
    /// - Throws: `WireError.tooLarge` if they would not fit into a frame.
    package static func pack(_ model: ManagedObjectModel) throws(WireError) -> [UInt8] {
        try ModelMessage(model).packed()
    }

    /// The model that the bytes describe, checked.
    ///
    /// - Throws: `WireError`, naming the field, or the entity and property that do not fit.
    package static func unpack(_ bytes: [UInt8]) throws(WireError) -> ManagedObjectModel {
        try ModelMessage(packed: bytes).model
    }
}

extension ModelMessage: WireMessage, @unsafe CMessage {
    static var limit: MessageLimit { .model }

    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__Model>) {
        unsafe coffer__v1__model__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__Model>) throws(WireError) {
        let c = unsafe message.pointee
        let entities: [EntityDefinition] = try unsafe messages(
            c.entities, count: c.n_entities, field: "coffer.v1.Model.entities", limit: Limits.modelElements)
        let configurations = try unsafe messages(
            c.configurations, count: c.n_configurations, field: "coffer.v1.Model.configurations",
            limit: Limits.modelElements,
            as: ConfigurationForm.self)
        let versions = try unsafe texts(
            c.version_identifiers, count: c.n_version_identifiers,
            field: "coffer.v1.Model.version_identifiers")
        let members = try dictionary(
            configurations.map { ($0.name, $0.entities) }, "coffer.v1.Model.configurations")
        let templates: [FetchRequestTemplate] = try unsafe messages(
            c.fetch_templates, count: c.n_fetch_templates, field: "coffer.v1.Model.fetch_templates",
            limit: Limits.modelElements)
        do throws(ModelError) {
            self.init(
                try ManagedObjectModel(
                    entities: entities, configurations: members, versionIdentifiers: versions,
                    fetchRequestTemplates: templates))
        } catch {
            throw .malformed("coffer.v1.Model: \(error)")
        }
    }

    func fill(_ c: inout Coffer__V1__Model, in arena: inout PackArena) throws(WireError) {
        try unsafe (c.n_entities, c.entities) = arena.list(model.entities.map(\.definition))
        let configurations = model.configurations.sorted { $0.key < $1.key }
            .map { ConfigurationForm(name: $0.key, entities: $0.value.sorted()) }
        try unsafe (c.n_configurations, c.configurations) = arena.list(configurations)
        try unsafe (c.n_fetch_templates, c.fetch_templates) = arena.list(model.fetchRequestTemplates)
        unsafe (c.n_version_identifiers, c.version_identifiers) = arena.texts(model.versionIdentifiers)
    }

    package init(packed bytes: RawSpan) throws(WireError) { try unsafe self.init(unpacking: bytes) }

    package func packed() throws(WireError) -> [UInt8] { try unsafe packing() }
}

/// `coffer.v1.Configuration`.
private struct ConfigurationForm {
    var name: String
    var entities: [String]
}

extension ConfigurationForm: @unsafe CMessage {
    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__Configuration>) {
        unsafe coffer__v1__configuration__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__Configuration>) throws(WireError) {
        let c = unsafe message.pointee
        try unsafe self.init(
            name: c.name.text("coffer.v1.Configuration.name"),
            entities: texts(c.entities, count: c.n_entities, field: "coffer.v1.Configuration.entities"))
    }

    func fill(_ c: inout Coffer__V1__Configuration, in arena: inout PackArena) {
        unsafe c.name = arena.text(name)
        unsafe (c.n_entities, c.entities) = arena.texts(entities)
    }
}
