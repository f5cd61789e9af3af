import ArgumentParser
import Coffer
import CofferModel
import FoundationEssentials

/// `coffer store add`: makes a store.
struct StoreAdd: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add",
        abstract: "Make a store with the entities of a model.",
        discussion: """
            A store that exists with the same model is left as it is.

            Examples:
              coffer store add Codes --model Codes.xcdatamodel
              coffer store add ./codes.store --embedded --model Codes.xcdatamodeld
            """)

    @Argument(help: "The store's name, or with --embedded the path of its file.") var store: String
    @OptionGroup var service: ServiceOptions
    @Option(
        name: .customLong("store-configuration"),
        help: ArgumentHelp("The configuration of the model that the store keeps.", valueName: "name"))
    var configuration = ManagedObjectModel.defaultConfiguration
    @Flag(help: "Make a store file in this process, without the service.") var embedded = false
    @Option(
        help: "A model of Xcode: an .xcdatamodeld or .xcdatamodel folder, or the 'contents' file in one.",
        completion: .file())
    var model: String
    @OptionGroup var reading: ModelOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
        try reporting {
            var options = StoreOptions()
            options.service = service
            options.configuration = configuration
            options.embedded = embedded
            options.model = nil
            let opened = try options.add(store, model: try reading.read(model))
            let printer = output.printer(["name", "uuid", "entities"])
            try printer.print([
                .text(store), .text(opened.description.uuid.uuidString),
                .integer(opened.model.entities.count),
            ])
            try printer.finish()
        }
    }
}
