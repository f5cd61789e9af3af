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

            A store whose content is shared with other machines is asked about: --catch-up has the file get all that came since, for a store that is damaged; \
            --make-content saves what is otherwise in the file as edits of now, which go to all machines.

            Examples:
              coffer store replace Codes backup/Codes.sqlite --yes
              coffer store replace Codes backup/Codes.sqlite --catch-up --yes
            """)

    @Argument(help: "The store's name.", completion: .stores) var store: String
    @Argument(
        help: "A store's file, or a document's NAME.coffer, that is not open.", completion: .file())
    var file: String
    @OptionGroup var options: ServiceOptions
    @Option(
        name: .customLong("store-configuration"),
        help: ArgumentHelp("The configuration of the model that the store keeps.", valueName: "name"))
    var configuration = ManagedObjectModel.defaultConfiguration
    @Flag(help: "Do not ask.") var yes = false
    @Flag var shared: SharedChoice?
    @OptionGroup var exchange: ExchangeOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
        try reporting {
            try requireStore()
            if !yes {
                guard StandardInput.isTerminal else {
                    throw ToolError(
                        .usage,
                        "This is not a terminal, so nothing can be asked: give --yes to replace '\(store)'.")
                }
                guard StandardInput.confirms("Put '\(file)' in the place of all that is in '\(store)'?")
                else {
                    throw ToolError(.declined, "Nothing was replaced.")
                }
            }
            let number: UInt64
            do {
                number = try replace(shared)
            } catch CofferError.refused(_, ErrorDetailMessage.sharedContent, _, _)
                where shared == nil && !yes && StandardInput.isTerminal
            {
                // Nothing has happened yet.
                number = try replace(try Self.askAboutSharing(store))
            }
            let printer = output.printer(["replaced", "number"])
            try printer.print([.text(store), .integer(number)])
            try printer.finish()
        }
    }

    private func replace(_ choice: SharedChoice?) throws -> UInt64 {
        try options.finding(store, configuration: configuration) { service in
            try service.replaceStore(
                named: store, withFileAt: file, configuration: configuration,
                application: options.application, wait: exchange.duration, shared: choice?.replacement)
        }
    }

    private static func askAboutSharing(_ store: String) throws -> SharedChoice {
        if StandardInput.confirms(
            "'\(store)' is shared with other machines. Have the file catch up with what came since?")
        {
            return .catchUp
        }
        if StandardInput.confirms("Make what is in the file the content of all machines?") {
            return .makeContent
        }
        throw ToolError(.declined, "Nothing was replaced.")
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

/// What becomes of content that is shared with other machines.
enum SharedChoice: String, EnumerableFlag {
    case catchUp, makeContent

    static func help(for value: SharedChoice) -> ArgumentHelp? {
        switch value {
        case .catchUp: "Of a shared store: have the file get all that came since it was made."
        case .makeContent: "Of a shared store: make what is in the file the content of all machines."
        }
    }

    /// The choice as the library takes it.
    var replacement: SharedReplacement {
        switch self {
        case .catchUp: .catchUp
        case .makeContent: .makeContent
        }
    }
}

/// How long programs that have a store open are waited for.
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
