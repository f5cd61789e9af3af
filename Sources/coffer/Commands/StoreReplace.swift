import ArgumentParser
import Coffer
import CofferModel
import CofferWire

/// `coffer store replace`: puts another file in the place of a store's.
struct StoreReplace: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "replace",
        abstract: "Put a copy of another file in a store's place, as a backup of it.",
        discussion: """
            Programs that have the store open are asked first, and may save into the old file, for at most --wait seconds; then they are told, \
            and read the new one, which must have the same model then. Large values in a folder beside the file come along, but not to the service of all users, \
            which takes files of at most 1 GiB. After a crash either the old file or the whole new \
            one is there.

            Example: coffer store replace Codes backup/Codes.sqlite --yes
            """)

    @Argument(help: "The store's name.", completion: .stores) var store: String
    @Argument(
        help: "A store's file, or a document's NAME.coffer, that nobody has open.", completion: .file())
    var file: String
    @OptionGroup var options: ServiceOptions
    @Option(
        name: .customLong("store-configuration"),
        help: ArgumentHelp("The configuration of the model that the store keeps.", valueName: "name"))
    var configuration = ManagedObjectModel.defaultConfiguration
    @Flag(help: "Do not ask.") var yes = false
    @OptionGroup var exchange: ExchangeOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
        try reporting {
            try requireStore()
            if !yes {
                guard StandardInput.isTerminal else {
                    throw ToolError(.usage, "There is nobody to ask: give --yes to replace '\(store)'.")
                }
                guard StandardInput.confirms("Put '\(file)' in the place of all that is in '\(store)'?")
                else {
                    throw ToolError(.declined, "Nothing was replaced.")
                }
            }
            let number = try options.finding(store, configuration: configuration) { service in
                try service.replaceStore(
                    named: store, withFileAt: file, configuration: configuration,
                    application: options.application, wait: exchange.duration)
            }
            let printer = output.printer(["replaced", "number"])
            try printer.print([.text(store), .integer(number)])
            try printer.finish()
        }
    }

    /// The service would make a store of a name that is mistyped.
    private func requireStore() throws {
        try options.finding(store, configuration: configuration) { service in
            let isThere = try service.stores(ofAllApplications: true).contains {
                $0.name == store && $0.configuration == configuration
                    && $0.application == options.application
            }
            guard !isThere else { return }
            throw CofferError.refused(
                code: StatusCode.notFound.name, reason: "no_such_store",
                text: "There is no store '\(options.application)/\(configuration)/\(store)'.",
                place: store)
        }
    }
}

/// How long those who have a store open are waited for.
struct ExchangeOptions: ParsableArguments {
    @Option(help: "Seconds that others get to save before the file goes, at most 60.") var wait = 10.0

    /// The time as the library takes it.
    var duration: Duration { .seconds(wait) }

    func validate() throws {
        guard wait > 0, wait <= 60 else {
            throw ValidationError("--wait is a number of seconds, at most 60.")
        }
    }
}
