import CofferDBus
import CofferLinux
import Logging
import Synchronization

/// Puts the units that wake the service where the user's systemd finds them, and takes them away.
///
/// Shared. Only a service that systemd started has one: it ends when it is idle, and may be started again.
final class WakeUnitInstaller: Sendable {
    private static let place = "systemd/user"
    private static let manager = "org.freedesktop.systemd1"

    private let bus: DBusAddress
    private let configHome: String
    private let logger: Logger
    /// The units that are there; `nil` if that was not looked up yet.
    private let installed = Mutex<WakeUnits?>(nil)

    /// An installer for the user whose settings are in `configHome`.
    init(bus: DBusAddress, configHome: String, logger: Logger) {
        (self.bus, self.configHome, self.logger) = (bus, configHome, logger)
    }

    /// Puts units there, and has systemd follow them.
    ///
    /// - Returns: Whether it does; if not, nothing is left of them.
    func install(_ units: WakeUnits) -> Bool {
        if installed.withLock({ $0 == units }) { return true }
        do {
            let folder = try Folder.make(at: configHome).makeFolders(Self.place)
            for (name, text) in units.files { try folder.replace(name, with: Array(text.utf8)) }
            let client = try DBusClient(to: bus)
            try call(client, "Reload")
            try call(client, "EnableUnitFiles", with: [Self.enabled, .boolean(false), .boolean(true)])
            for name in Self.started {
                try call(client, "RestartUnit", with: [.string(name), .string("replace")])
            }
            installed.withLock { $0 = units }
            logger.info("Files of other machines wake the service from now on")
            return true
        } catch {
            logger.notice(
                "Nothing wakes the service for files of other machines, so it stays",
                metadata: ["error": "\(error)"])
            remove()
            return false
        }
    }

    /// Takes the units away, if there are any.
    func remove() {
        installed.withLock { $0 = nil }
        // If there is no such folder, there are none.
        guard let folder = try? Folder(at: configHome).folder(Self.place) else { return }
        let names = WakeUnits(watching: []).files.map(\.name)
        // A folder that cannot be read has none that could be removed.
        guard names.contains(where: { (try? folder.exists($0)) ?? false }) else { return }
        do {
            let client = try DBusClient(to: bus)
            for name in Self.started {
                // One that does not run cannot be stopped.
                try? call(client, "StopUnit", with: [.string(name), .string("replace")])
            }
            // The files that say so go next, whether or not systemd agrees.
            try? call(client, "DisableUnitFiles", with: [Self.enabled, .boolean(false)])
            for name in names { _ = try folder.unlink(name) }
            // systemd forgets them when it reads its units the next time.
            try? call(client, "Reload")
        } catch {
            logger.warning("Units that wake the service stay behind", metadata: ["error": "\(error)"])
        }
    }

    private static var started: [String] { ["\(WakeUnits.name).path", "\(WakeUnits.name).timer"] }

    private static var enabled: DBusValue { .strings(started) }

    private func call(_ client: DBusClient, _ member: String, with body: [DBusValue] = []) throws(DBusError) {
        _ = try client.call(
            Self.manager, path: "/org/freedesktop/systemd1", interface: "\(Self.manager).Manager",
            member: member, body: body)
    }
}
