import ArgumentParser
import Coffer
import CofferDBus

/// Which service.
struct BusOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The bus: 'session', 'system', or an address such as unix:path=/run/user/1000/bus; if it is not given, "
                + "COFFER_BUS_ADDRESS, else the session bus.", valueName: "bus"),
        completion: .list(["session", "system"]))
    var bus: String?

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

    /// The bus's address, for commands that talk to the bus itself.
    var busAddress: DBusAddress {
        switch address {
        case .session: .session
        case .system: .system
        case .explicit(let text): .explicit(text)
        }
    }

    /// How the names of errors begin that refuse what the caller may not do.
    private static let denial = ServiceStatus.name + ".Error.PermissionDenied"

    /// What an error says of a service that was asked over the bus itself, and was to be started for it or
    /// not.
    func error(_ error: DBusError, starting: Bool) -> ToolError {
        switch error {
        case .connectFailed(let place, let message):
            ToolError(.unavailable, address.unreachable(at: place, message))
        case .remote where error.isNameNotOwned:
            ToolError(
                .unavailable,
                starting
                    ? ServiceAddress.unknownService
                    : "The service does not run; 'coffer status --start' starts it.")
        case .remote(let name, let message) where name.hasPrefix(Self.denial):
            ToolError(.noPermission, message)
        case .remote(let name, let message): ToolError(.unavailable, address.unstarted(name, message))
        default: ToolError(.unavailable, "The service did not answer: \(error)")
        }
    }
}
