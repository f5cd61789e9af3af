import CofferDBus

/// The objects on the bus as one caller may see them.
struct BusTree: Sendable {
    let service: Service
    let caller: BusCaller

    /// The interfaces of the object at `path`; `nil` if there is none.
    func interfaces(at path: String) -> [BoundInterface]? {
        let manager = ManagerObject(service: service, caller: caller)
        if path == BusNames.path { return [BoundInterface(ManagerInterface.table, manager)] }
        if let store = service.visibleStores(to: caller).first(where: { $0.key.objectPath == path }) {
            return store.interfaces
        }
        if let client = clients.first(where: { Self.path(of: $0) == path }) {
            return [BoundInterface(ClientInterface.table, client)]
        }
        return accountObjects.first { $0.path == path }?.interfaces
    }

    /// Every object below the main one, with its interfaces.
    var managedObjects: [(path: String, interfaces: [BoundInterface])] {
        let stores = service.visibleStores(to: caller).map {
            ($0.key.objectPath, $0.interfaces)
        }
        let clients = clients.map { (Self.path(of: $0), [BoundInterface(ClientInterface.table, $0)]) }
        return stores + clients + accountObjects
    }

    /// The list of accounts and each of them; a program in a sandbox sees none.
    private var accountObjects: [(path: String, interfaces: [BoundInterface])] {
        guard service.core.accounts != nil, caller.sandbox == nil else { return [] }
        let list = BoundInterface(AccountListInterface.table, AccountList(service: service.core))
        return [(BusNames.accountsPath, [list])]
            + service.core.knownAccounts.map {
                ($0.objectPath, [BoundInterface(AccountInterface.table, $0)])
            }
    }

    /// The document that `Introspect` answers; `nil` if neither an object is at `path` nor below it.
    func introspection(of path: String) -> String? {
        let prefix = path == "/" ? "/" : path + "/"
        var children: Set<String> = []
        let folders = ["/", BusNames.path, BusNames.clientsPath, BusNames.storesPath]
        for other in managedObjects.map(\.path) + folders where other.hasPrefix(prefix) {
            if let child = other.dropFirst(prefix.count).split(separator: "/").first {
                children.insert(String(child))
            }
        }
        let interfaces = interfaces(at: path)
        if interfaces == nil && children.isEmpty && !folders.contains(path) { return nil }
        var standard: [DBusInterfaceDescription] = [.introspectable, .peer]
        if interfaces != nil { standard.append(.properties) }
        if path == BusNames.path { standard.append(.objectManager) }
        return DBusIntrospection.xml(
            interfaces: (interfaces ?? []).map(\.description) + standard, childNodes: Array(children))
    }

    static func path(of client: ClientObject) -> String {
        "\(BusNames.clientsPath)/\(client.served.session.id)"
    }

    private var clients: [ClientObject] {
        ManagerObject(service: service, caller: caller).visibleSessions
            .map { ClientObject(served: $0, core: service.core) }
    }
}
