import ArgumentParser
import Coffer
import CofferDBus
import CofferModel

/// Which service, and whose stores.
struct ServiceOptions: ParsableArguments {
    /// What the tool calls itself, and its own stores belong to.
    static let ownApplication = "org.coffer.Tool"

    @Option(
        help: ArgumentHelp(
            "The bus: 'session', 'system', or an address such as unix:path=/run/user/1000/bus; where it is not given, "
                + "COFFER_BUS_ADDRESS, else the session bus.", valueName: "bus"),
        completion: .list(["session", "system"]))
    var bus: String?

    @Option(help: "The application whose stores are meant, as a reverse-DNS id.", completion: .applications)
    var application = Self.ownApplication

    /// The bus that was asked for.
    var address: ServiceAddress { Self.address(of: bus) }

    /// The bus that `--bus` names.
    static func address(of bus: String?) -> ServiceAddress {
        switch bus {
        case nil: .standard
        case "session": .session
        case "system": .system
        case let address?: .explicit(address)
        }
    }

    /// The same for what talks to the bus itself.
    var busAddress: DBusAddress {
        switch address {
        case .session: .session
        case .system: .system
        case .explicit(let text): .explicit(text)
        }
    }

    /// A connection, made when it is first used.
    func connect() throws -> ServiceConnection {
        try ServiceConnection(application: Self.ownApplication, bus: address)
    }
}

/// Which of an application's stores, and how it is reached.
struct StoreOptions: ParsableArguments {
    @OptionGroup var service: ServiceOptions

    @Option(
        name: .customLong("store-configuration"), help: "The configuration of the model that the store keeps."
    )
    var configuration = ManagedObjectModel.defaultConfiguration

    @Flag(help: "STORE is the path of a store file, which is opened in this process, without the service.")
    var embedded = false

    @Option(
        help: "The model, as for 'coffer store add', of a store file that keeps none (with --embedded).",
        completion: .file())
    var model: String?

    func validate() throws {
        if model != nil && !embedded {
            throw ValidationError("--model needs --embedded: the service knows the models of its stores.")
        }
        if embedded && service.bus != nil { throw ValidationError("--embedded uses no bus.") }
    }
}
