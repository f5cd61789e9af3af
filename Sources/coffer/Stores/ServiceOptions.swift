import ArgumentParser
import Coffer
import CofferLinux
import CofferModel
import FoundationEssentials

/// Which service, and whose stores.
struct ServiceOptions: ParsableArguments {
    /// What the tool calls itself, and its own stores belong to.
    static let ownApplication = "org.coffer.Tool"

    /// The application whose stores are meant if the command line names none.
    static let standardApplication = CurrentProcess.environment["COFFER_APPLICATION"] ?? ownApplication

    @OptionGroup var bus: BusOptions

    @Option(
        help: ArgumentHelp(
            "The application whose stores are meant, as a reverse-DNS id; if it is not given, COFFER_APPLICATION, else the "
                + "tool itself.", valueName: "id"), completion: .applications)
    var application = Self.standardApplication

    /// A connection, made when it is first used.
    func connect() throws -> ServiceConnection {
        try ServiceConnection(application: Self.ownApplication, bus: bus.address)
    }

    /// Does what needs a store that exists; if it does not exist, the error says with which options there is
    /// a store of that name.
    func finding<Result>(
        _ store: String, configuration: String, _ body: (ServiceConnection) throws -> Result
    ) throws -> Result {
        let connection = try connect()
        do {
            return try body(connection)
        } catch let error as CofferError {
            guard case .refused(_, "no_such_store", _, _) = error else { throw error }
            let others = try connection.stores(ofAllApplications: true).filter { $0.name == store }
            // One that has been made meanwhile needs nothing else.
            let ways = others.map { way(to: $0, from: store, configuration) }.filter { !$0.isEmpty }.prefix(3)
            if ways.isEmpty { throw error }
            throw ToolError(
                .noInput,
                "There is no store '\(store)' of '\(application)', but with \(ways.joined(separator: " or ")) there is."
            )
        }
    }

    /// What finds `other` for a user who asked for `store` of `configuration`.
    private func way(
        to other: ServiceConnection.Listing, from store: String, _ configuration: String
    ) -> String {
        var parts: [String] = []
        if !other.application.hasBytes(of: application) { parts.append("--application \(other.application)") }
        if !other.configuration.hasBytes(of: configuration) {
            parts.append("--store-configuration \(other.configuration)")
        }
        if !other.name.hasBytes(of: store) {
            parts.append("the name in the very characters of 'coffer store list'")
        }
        return parts.joined(separator: " ")
    }
}

extension String {
    /// Whether both texts are equal to the service, byte by byte: Swift also takes texts for equal whose
    /// accents are encoded differently.
    fileprivate func hasBytes(of other: String) -> Bool { utf8.elementsEqual(other.utf8) }
}

/// Which of an application's stores, and how it is reached.
struct StoreOptions: ParsableArguments {
    @OptionGroup var service: ServiceOptions

    @Option(
        name: .customLong("store-configuration"),
        help: ArgumentHelp("The configuration of the model that the store keeps.", valueName: "name"))
    var configuration = ManagedObjectModel.defaultConfiguration

    @Flag(help: "STORE is the path of a store file, which is opened in this process, without the service.")
    var embedded = false

    @Option(
        help: ArgumentHelp(
            "The model, as for 'coffer store add', of a store file that keeps none (with --embedded).",
            valueName: "file"), completion: .file())
    var model: String?

    @OptionGroup var sharing: SharingOptions

    func validate() throws {
        if sharing.contentName != nil && embedded {
            throw ValidationError("--shared-as needs the service, which shares stores.")
        }
        if model != nil && !embedded {
            throw ValidationError("--model needs --embedded: the service knows the models of its stores.")
        }
        if embedded && service.bus.bus != nil { throw ValidationError("--embedded uses no bus.") }
    }
}

/// Whether other machines share a store that is opened.
struct SharingOptions: ParsableArguments {
    @Option(
        name: .customLong("shared-as"),
        help: ArgumentHelp(
            "Share the store with the other machines of the account, under this name, as long as it is open: see 'coffer account'.",
            valueName: "name"))
    var contentName: String?

    @Option(
        name: .customLong("content-folder"),
        help: ArgumentHelp(
            "The folder in the account's container that has the store (with --shared-as).", valueName: "path")
    )
    var folder: String?

    @Option(
        name: .customLong("container"),
        help: ArgumentHelp(
            "Which of the account's containers has the store; else that of its application (with --shared-as).",
            valueName: "name"))
    var container: String?

    /// The options that a description of the store has.
    var options: UbiquityOptions {
        UbiquityOptions(contentURL: folder.flatMap { URL(string: $0) }, containerIdentifier: container)
    }

    func validate() throws {
        if contentName == nil, folder != nil || container != nil {
            throw ValidationError("--content-folder and --container need --shared-as.")
        }
        if let folder, URL(string: folder) == nil {
            throw ValidationError("--content-folder '\(folder)' cannot be a folder.")
        }
    }
}

/// What a command does with the store that it opens.
enum StoreAccess {
    /// It writes nothing; into a file of our own, if `isSealed` says so, not even a lock.
    case reading(isSealed: Bool)
    /// It writes.
    case writing(AdoptionOptions)
}

/// How commands that write nothing open a store.
struct ReadOptions: ParsableArguments {
    /// Nothing is written.
    var access: StoreAccess { .reading(isSealed: readOnly) }

    @Flag(
        help: """
            Keep the store as it is, to the last byte. A file (with --embedded) then gets no lock either, as one that Coffer did not \
            make, or that cannot be written, gets none in any case: that is for files that do not change meanwhile, such as copies.
            """)
    var readOnly = false
}
