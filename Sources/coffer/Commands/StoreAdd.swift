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
              coffer store add Codes --type binary --model Codes.xcdatamodel
            """)

    @Argument(help: "The store's name, or with --embedded the path of its file.") var store: String
    @OptionGroup var service: ServiceOptions
    @Option(
        name: .customLong("store-configuration"),
        help: ArgumentHelp("The configuration of the model that the store keeps.", valueName: "name"))
    var configuration = ManagedObjectModel.defaultConfiguration
    @Option(
        help: ArgumentHelp(
            "How the store keeps its objects: 'sqlite', which is the default; 'binary' or 'xml', in a file that each save writes as a whole; "
                + "'memory', which goes when the last program closes it.", valueName: "type"),
        transform: Self.type)
    var type: StoreType?
    @Flag(help: "Make a store file in this process, without the service.") var embedded = false
    @Option(
        help: "A model: .xcdatamodeld, .xcdatamodel, .momd, .mom, or a 'contents' file.",
        completion: .file())
    var model: String
    @OptionGroup var reading: ModelOptions
    @OptionGroup var sharing: SharingOptions
    @OptionGroup var output: OutputOptions

    private static func type(_ text: String) throws -> StoreType {
        if let type = StoreType(rawValue: text) { return type }
        let names = StoreType.allCases.map(\.rawValue).joined(separator: ", ")
        throw ValidationError("There is no type '\(text)'; there are \(names).")
    }

    func validate() throws {
        if embedded && sharing.contentName != nil {
            throw ValidationError("--shared-as needs the service, which shares stores.")
        }
        if embedded && type == .memory {
            throw ValidationError("With --embedded, a store in memory would go with this command.")
        }
    }

    func run() throws {
        try reporting {
            var options = StoreOptions()
            options.service = service
            options.configuration = configuration
            options.embedded = embedded
            options.model = nil
            options.sharing = sharing
            let opened = try options.add(store, model: try reading.read(model), type: type)
            let printer = output.printer(["name", "uuid", "entities"])
            try printer.print([
                .text(store), .text(opened.description.uuid.uuidString),
                .integer(opened.model.entities.count),
            ])
            try printer.finish()
        }
    }
}
