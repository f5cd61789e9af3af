import ArgumentParser
import Coffer
import CofferFormats
import CofferModel

/// `coffer model show`: what is in a model file.
struct ModelShow: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract:
            "Show the entities and properties of a model, and the version hashes by which stores know it.",
        discussion: """
            As JSON, one object an entity; as table or CSV, one line a property below one for its entity.

            Example: coffer model show Codes.xcdatamodeld --json | jq -r .versionHash
            """)

    @Argument(
        help: "A model: .xcdatamodeld, .xcdatamodel, .momd, .mom, a 'contents' file, or a store's file.",
        completion: .file())
    var file: String
    @Option(help: "Only this entity.") var entity: String?
    @OptionGroup var reading: ModelOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
        try reporting {
            let model = try reading.read(file)
            let hashes = VersionHashes(of: model).entities.mapValues { Base64.text(of: $0) }
            let entities = model.entities.filter { entity == nil || $0.name == entity }
            if entities.isEmpty, let entity { throw ToolError(.data, "The model has no entity '\(entity)'.") }
            if output.chosen == .json {
                try printObjects(entities, of: model, hashes: hashes)
            } else {
                try printLines(entities, of: model, hashes: hashes)
            }
        }
    }

    private func printObjects(
        _ entities: [EntityDescription], of model: ManagedObjectModel, hashes: [String: String]
    ) throws {
        let printer = output.printer([
            "entity", "abstract", "superentity", "versionHash", "properties", "configurations",
        ])
        for entity in entities {
            try printer.print([
                .text(entity.name), .boolean(entity.isAbstract),
                entity.superentityIndex.map { .text(model.entities[$0].name) } ?? .null,
                .text(hashes[entity.name] ?? ""),
                .list(
                    entity.properties.map { property in
                        .record([
                            ("name", .text(property.name)),
                            ("type", .text(ModelShow.type(of: property, model))),
                            ("optional", .boolean(ModelShow.isOptional(property))),
                            ("notes", .texts(ModelShow.notes(property, model))),
                        ])
                    }),
                .texts(configurations(of: entity, model)),
            ])
        }
        try printer.finish()
    }

    private func printLines(
        _ entities: [EntityDescription], of model: ManagedObjectModel, hashes: [String: String]
    ) throws {
        let printer = output.printer(["entity", "property", "type", "optional", "notes", "versionHash"])
        for entity in entities {
            var notes = entity.isAbstract ? ["abstract"] : []
            if let parent = entity.superentityIndex {
                notes.append("inherits from \(model.entities[parent].name)")
            }
            notes += configurations(of: entity, model).map { "in configuration \($0)" }
            notes += entity.definition.uniquenessConstraints.map { "unique: \($0.joined(separator: "+"))" }
            try printer.print([
                .text(entity.name), .null, .text("entity"), .null, .texts(notes),
                .text(hashes[entity.name] ?? ""),
            ])
            for property in entity.properties {
                try printer.print([
                    .text(entity.name), .text(property.name), .text(ModelShow.type(of: property, model)),
                    .boolean(ModelShow.isOptional(property)), .texts(ModelShow.notes(property, model)), .null,
                ])
            }
        }
        try printer.finish()
    }

    /// The configurations that the model names; all entities are in the standard one.
    private func configurations(of entity: EntityDescription, _ model: ManagedObjectModel) -> [String] {
        model.configurations.filter { $0.value.contains(entity.name) }.map(\.key).sorted()
    }

    private static func type(of property: PropertyDescription, _ model: ManagedObjectModel) -> String {
        switch property {
        case .attribute(let attribute): attribute.type.name
        case .relationship(let relationship):
            (relationship.isToMany ? "to many " : "to one ") + model.destination(of: relationship).name
        }
    }

    private static func isOptional(_ property: PropertyDescription) -> Bool {
        switch property {
        case .attribute(let attribute): attribute.definition.isOptional
        case .relationship(let relationship): relationship.definition.isOptional
        }
    }

    private static func notes(_ property: PropertyDescription, _ model: ManagedObjectModel) -> [String] {
        var notes = property.isTransient ? ["transient"] : []
        switch property {
        case .attribute(let attribute):
            if !attribute.definition.defaultValue.isNull {
                notes.append("default \(OutputValue(attribute.definition.defaultValue).plainText)")
            }
            if let expression = attribute.definition.derivationExpression {
                notes.append("derived: \(expression)")
            }
            notes += attribute.boundTexts
            if let expression = attribute.definition.validation.regularExpression {
                notes.append("matches \(expression)")
            }
            if attribute.definition.allowsExternalStorage { notes.append("external storage") }
            if let name = attribute.definition.transformerName { notes.append("transformer \(name)") }
        case .relationship(let relationship):
            if let inverse = model.inverse(of: relationship) { notes.append("inverse \(inverse.name)") }
            if relationship.definition.isOrdered { notes.append("ordered") }
            if relationship.definition.deleteRule != .nullify {
                notes.append("delete rule \(relationship.definition.deleteRule)")
            }
        }
        return notes
    }
}
