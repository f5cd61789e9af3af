import ArgumentParser
import Coffer
import CofferDBus
import FoundationEssentials

extension StoreOptions {
    /// Asks the service over the bus how an open store is shared, as an administrator would.
    ///
    /// - Parameters:
    ///   - member: The method of the store's interface for that.
    ///   - name: The store's name; it is open meanwhile.
    /// - Returns: The answer.
    /// - Throws: `ToolError` if the service does not show it, or refuses.
    func askSharing(_ member: String, ofStore name: String) throws -> DBusMessage {
        let opened = try ToolStore(try openServed(name, for: .reading(isSealed: false)).coordinator)
        return try withExtendedLifetime(opened) { try askSharing(member, of: opened, named: name) }
    }

    private func askSharing(
        _ member: String, of opened: ToolStore, named name: String
    ) throws -> DBusMessage {
        do {
            let all = try ServiceStatus(over: service.bus.busAddress, starting: false)
            let uuid = opened.description.uuid.uuidString
            guard let part = all.stores.first(where: { $0.text("UUID") == uuid }) else {
                throw ToolError(.noInput, "The service does not show the store '\(name)'.")
            }
            return try DBusClient(to: service.bus.busAddress).call(
                ServiceStatus.name, path: part.path, interface: "\(ServiceStatus.name).UbiquitousStore",
                member: member)
        } catch DBusError.remote(name: DBusErrorName.unknownMethod, _) {
            throw ToolError(
                .noInput, "'\(name)' is not shared with other machines, so nothing is kept for them.")
        } catch let error as DBusError {
            throw service.bus.error(error, starting: false)
        }
    }

    /// Refuses a file that is opened without the service, for commands on shared stores.
    func requireService() throws {
        if embedded { throw ValidationError("Only the service shares stores: leave --embedded out.") }
    }
}
