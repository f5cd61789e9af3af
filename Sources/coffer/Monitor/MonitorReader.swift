import Coffer
import CofferDBus
import CofferLinux
import FoundationEssentials

/// Looks at all shared stores and their containers.
///
/// Confined.
struct MonitorReader {
    private static let interface = ServiceStatus.name + ".UbiquitousStore"

    private let connection: ServiceConnection
    private let address: DBusAddress

    /// Connects to the service.
    ///
    /// - Throws: `CofferError`, `DBusError` if it cannot be reached.
    init(_ options: BusOptions) throws {
        connection = try ServiceConnection(application: ServiceOptions.ownApplication, bus: options.address)
        address = options.busAddress
    }

    /// The stores as they are now.
    func panes() throws -> [MonitorPane] {
        let stores = try connection.ubiquitousStores()
        let root = try connection.accounts().first { $0.signedIn != nil }?.path
        let objects = try objectsByStore()
        let now = Date()
        return stores.map { store in
            let folder = root.map { "\($0)/\(store.path)" }
            let known = objects["\(store.contentName) \(store.peer)"] ?? []
            return MonitorPane(
                status: store, folder: folder, objects: Self.look(at: known, in: folder),
                free: root.flatMap(Self.free), time: now)
        }
    }

    /// What the service knows of the objects, by content name and peer.
    private func objectsByStore() throws -> [String: [MonitorObject]] {
        // A new client each time: a client keeps the signals that are not taken.
        let bus = try DBusClient(to: address)
        let tree = try bus.call(
            ServiceStatus.name, path: ServiceStatus.path, interface: "org.freedesktop.DBus.ObjectManager",
            member: "GetManagedObjects")
        var found: [String: [MonitorObject]] = [:]
        for object in tree.body.first?.entries ?? [] {
            guard let path = object.key.objectPathValue else { continue }
            for entry in object.value.entries ?? [] where entry.key.stringValue == Self.interface {
                let properties = entry.value.propertyValues ?? [:]
                let name = properties["ContentName"]?.stringValue ?? ""
                let reply = try bus.call(
                    ServiceStatus.name, path: path, interface: Self.interface, member: "Objects")
                found["\(name) \(properties["Peer"]?.stringValue ?? "")"] =
                    (reply.body.first?.elements ?? []).compactMap(Self.object)
            }
        }
        return found
    }

    private static func object(_ value: DBusValue) -> MonitorObject? {
        guard let parts = value.elements, parts.count == 3 else { return nil }
        return MonitorObject(
            name: parts[0].stringValue ?? "", kind: parts[1].stringValue ?? "",
            state: parts[2].stringValue ?? "", byteCount: nil, modified: nil)
    }

    /// The objects with size and date of their files, the newest first.
    ///
    /// The tool itself looks: if the folder does not answer, the service goes on.
    private static func look(at objects: [MonitorObject], in path: String?) -> [MonitorObject] {
        guard let path, let folder = try? Folder(at: path) else { return objects }
        return objects.map { object in
            // Names come from the service, which made them.
            guard let facts = try? folder.facts(of: object.name) else { return object }
            return MonitorObject(
                name: object.name, kind: object.kind, state: object.state,
                byteCount: UInt64(facts.byteCount),
                modified: Date(timeIntervalSince1970: Double(facts.modifiedNanoseconds) / 1e9))
        }
        .sorted { one, other in
            (one.modified ?? .distantPast, other.name) > (other.modified ?? .distantPast, one.name)
        }
    }

    private static func free(at path: String) -> UInt64? {
        // The room is not shown if the folder does not answer.
        (try? Folder(at: path).freeByteCount()).map { UInt64(clamping: $0) }
    }
}
