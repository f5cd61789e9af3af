internal import CofferDBus
internal import CofferLinux

/// The message bus that the service is found on.
public enum ServiceAddress: Sendable, Hashable {
    /// The user's bus: a service of one's own.
    case session
    /// The machine's bus: one service for all users.
    case system
    /// A bus by its address, as in `unix:path=/run/user/1000/bus`.
    case explicit(String)

    /// The bus that `COFFER_BUS_ADDRESS` names, else the session bus.
    public static var standard: ServiceAddress {
        guard let address = CurrentProcess.environment["COFFER_BUS_ADDRESS"], !address.isEmpty else {
            return .session
        }
        return .explicit(address)
    }

    var busAddress: DBusAddress {
        switch self {
        case .session: .session
        case .system: .system
        case .explicit(let address): .explicit(address)
        }
    }

    /// What is said if no bus answers at a place, with what to look at.
    package func unreachable(at place: String, _ message: String) -> String {
        let end = message.hasSuffix(".") ? "" : "."
        return "No message bus answers at \(place): \(message)\(end) \(advice)"
    }

    /// What is said if the bus has nothing that it could start.
    package static let unknownService =
        "The bus knows no service org.coffer.Storage1: install its service file with 'dbus/install', or start cofferd on "
        + "this bus."

    /// What is said if the bus answers in the service's place, with the name of its error.
    package func unstarted(_ name: String, _ message: String) -> String {
        let text = "The service could not be started or does not answer (\(name)): \(message)"
        guard name.hasPrefix("org.freedesktop.DBus.Error.Spawn.") else { return text }
        let user = self == .system ? "" : "--user "
        return "\(text). Its log says why: 'journalctl \(user)-u cofferd'."
    }

    /// What to look at if no bus answers.
    var advice: String {
        switch self {
        case .session:
            "Check that a session bus runs and that DBUS_SESSION_BUS_ADDRESS names it; 'dbus-run-session' starts one."
        case .system: "Check that the system bus runs: 'systemctl status dbus'."
        case .explicit: "Check the address, and COFFER_BUS_ADDRESS if it comes from there."
        }
    }
}
