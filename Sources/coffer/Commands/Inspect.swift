import ArgumentParser
import CofferEmbedded
import CofferLinux
import CofferModel
import CofferStores

/// `coffer inspect`: what a store's file is, and whether it is well.
struct Inspect: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract:
            "Look into a store's file, of Coffer or of Core Data: its type, model, objects, history, size and health.",
        discussion: """
            Nothing is changed, neither the file nor its folder, and the file need not be whole: what cannot be read is told, and \
            the rest is shown all the same. The exit code is 65 if something is wrong with the file's data.

            As JSON, one object with storeType, uuid, frameworkVersion, entities, history, modelSource, sizes and health; as \
            CSV, one line an entity.

            Examples:
              coffer inspect Photos.sqlite
              coffer inspect Photos.sqlite --json | jq '.entities[] | select(.rows > 0)'
              coffer inspect Photos.sqlite --model-out model
            """)

    @Argument(help: "The store's file.", completion: .file()) var file: String
    @Option(
        help: ArgumentHelp(
            "The model, as for 'coffer store add', instead of the one that the file keeps.", valueName: "file"
        ),
        completion: .file())
    var model: String?
    @Option(
        name: .customLong("store-configuration"),
        help: ArgumentHelp("The configuration of the model that the store keeps.", valueName: "name"))
    var configuration: String = ManagedObjectModel.defaultConfiguration
    @Option(
        help: ArgumentHelp(
            "Write the file's model there, as an .xcdatamodel folder.", valueName: "folder"),
        completion: .directory)
    var modelOut: String?
    @OptionGroup var output: OutputOptions

    func run() throws {
        try reporting {
            let model = try model.map { try ModelOptions.lenient.read($0) }
            let inspection = try EmbeddedCoordinator.inspect(
                path: file, model: model, configuration: configuration)
            if let modelOut { try write(inspection, to: modelOut) }
            try print(inspection)
            if !inspection.health.isWell { throw ToolError(.data, "") }
        }
    }

    private func write(_ inspection: StoreInspection, to path: String) throws {
        guard let model = inspection.model else {
            throw ToolError(.data, "'\(file)' keeps no model that could be written to '\(path)'.")
        }
        let name = FileLocation(file).name
        try ModelFolder.write(
            model, named: name.firstIndex(of: ".").map { String(name[..<$0]) } ?? name, to: path)
    }

    private func print(_ inspection: StoreInspection) throws {
        switch output.chosen ?? .table {
        case .json:
            let fields = inspection.fields
            let printer = output.printer(fields.map(\.name))
            try printer.print(fields.map(\.value))
            try printer.finish()
        case .csv: try print(inspection.entities)
        case .table:
            let facts = TablePrinter(["store", "what"])
            for (name, text) in inspection.lines { try facts.print([.text(name), .text(text)]) }
            try facts.finish()
            if !inspection.entities.isEmpty {
                let gap = StandardOutput()
                try gap.write("")
                try gap.flush()
                try print(inspection.entities)
            }
        }
    }

    private func print(_ entities: [StoreInspection.Entity]) throws {
        let printer = output.printer(["entity", "rows", "parent", "attributes", "relationships"])
        for entity in entities {
            try printer.print([
                .text(entity.name), entity.rows.map { .integer($0) } ?? .null,
                entity.parent.map { .text($0) } ?? .null, .texts(entity.attributes.map(\.name)),
                .texts(entity.relationships.map(\.name)),
            ])
        }
        try printer.finish()
    }
}
