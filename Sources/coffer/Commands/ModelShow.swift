import ArgumentParser
import Coffer
import CofferFormats
import CofferGeneration
import CofferModel

/// `coffer model show`: what is in a model file.
struct ModelShow: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract:
            "Show the entities and properties of a model, and the version hashes by which stores know it.",
        discussion: """
            As JSON, one object an entity; as table or CSV, one line a property below one for its entity. As 'dot' (for Graphviz), \
            'mermaid' (for Markdown) or 'svg', a drawing. Of a mapping model, what becomes of which objects.

            Examples:
              coffer model show Codes.xcdatamodeld --json | jq -r .versionHash
              coffer model show Codes.xcdatamodeld --format svg > Codes.svg
              coffer model show OneToTwo.xcmappingmodel
            """)

    @Argument(
        help:
            "A model: .xcdatamodeld, .xcdatamodel, .momd, .mom, a 'contents' file, or a store's file; or a mapping model: .xcmappingmodel, .cdm.",
        completion: .file())
    var file: String
    @Option(help: "Only this entity.") var entity: String?
    @OptionGroup var reading: ModelOptions
    @Option(help: "'table' for people, 'json' or 'csv' for scripts, 'dot', 'mermaid' or 'svg' for a drawing.")
    var format: ModelFormat?
    @Flag(help: "The same as '--format json'.") var json = false
    @Flag(help: "The same as '--format csv'.") var csv = false

    /// What models are shown as.
    enum ModelFormat: String, ExpressibleByArgument, CaseIterable {
        case table, json, csv, dot, mermaid, svg
    }

    func validate() throws {
        if [json, csv, format != nil].count(where: { $0 }) > 1 {
            throw ValidationError("--json, --csv and --format exclude each other.")
        }
    }

    var chosen: ModelFormat { json ? .json : csv ? .csv : format ?? .table }

    func printer(_ columns: [String]) -> any ResultPrinter {
        switch chosen {
        case .json: JSONPrinter(columns)
        case .csv: CSVPrinter(columns)
        case .table, .dot, .mermaid, .svg: TablePrinter(columns)
        }
    }

    func run() throws {
        try reporting {
            if MappingModelFile.isNamed(file) { return try showMapping() }
            let model = try reading.read(file)
            let hashes = VersionHashes(of: model).entities.mapValues { Base64.text(of: $0) }
            let entities = model.entities.filter { entity == nil || $0.name == entity }
            if entities.isEmpty, let entity { throw ToolError(.data, "The model has no entity '\(entity)'.") }
            switch chosen {
            case .json: try printObjects(entities, of: model, hashes: hashes)
            case .table, .csv: try printLines(entities, of: model, hashes: hashes)
            case .dot: try draw(model, as: .dot)
            case .mermaid: try draw(model, as: .mermaid)
            case .svg: try draw(model, as: .svg)
            }
        }
    }

    private func draw(_ model: ManagedObjectModel, as format: DiagramFormat) throws {
        let diagram = ModelDiagram(of: model) { entity == nil || $0.name == entity }
        let output = StandardOutput()
        try output.write(bytes: Array(diagram.text(format).utf8))
        try output.flush()
    }

    private func printObjects(
        _ entities: [EntityDescription], of model: ManagedObjectModel, hashes: [String: String]
    ) throws {
        let printer = printer([
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
        let printer = printer(["entity", "property", "type", "optional", "notes", "versionHash"])
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
