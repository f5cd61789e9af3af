import CofferDBus

/// What the service says of itself over the bus, as an administrator would ask it.
struct ServiceStatus {
    /// An object below the service's main one, with the properties of its interface.
    struct Part {
        let path: String
        let properties: [(name: String, value: OutputValue)]

        /// A property that is a text.
        func text(_ name: String) -> String? {
            guard case .text(let text)? = properties.first(where: { $0.name == name })?.value else {
                return nil
            }
            return text
        }
    }

    static let name = "org.coffer.Storage1"
    static let path = "/org/coffer/Storage1"

    let service: Part
    var stores: [Part] = []
    var clients: [Part] = []
    /// The accounts that are or were signed in.
    var accounts: [Part] = []

    /// Asks a service that runs, or any that the bus can start.
    init(over address: DBusAddress, starting: Bool) throws(DBusError) {
        let client = try DBusClient(to: address)
        let flags: DBusMessage.Flags = starting ? [] : [.noAutoStart]
        let all = try client.call(
            Self.name, path: Self.path, interface: "org.freedesktop.DBus.Properties", member: "GetAll",
            body: [.string(Self.name)], flags: flags)
        service = Part(path: Self.path, properties: Self.fields(all.body.first))
        let tree = try client.call(
            Self.name, path: Self.path, interface: "org.freedesktop.DBus.ObjectManager",
            member: "GetManagedObjects",
            flags: flags)
        for object in tree.body.first?.entries ?? [] {
            guard let path = object.key.objectPathValue else { continue }
            for interface in object.value.entries ?? [] {
                let part = Part(path: path, properties: Self.fields(interface.value))
                switch interface.key.stringValue {
                case Self.name + ".Store": stores.append(part)
                case Self.name + ".Client": clients.append(part)
                case Self.name + ".Account": accounts.append(part)
                default: break
                }
            }
        }
        stores.sort { $0.path < $1.path }
        clients.sort(by: Self.isBefore)
        accounts.sort(by: Self.isBefore)
    }

    /// The order of the numbers that paths end with.
    private static func isBefore(_ one: Part, _ other: Part) -> Bool {
        (one.path.count, one.path) < (other.path.count, other.path)
    }

    private static func fields(_ value: DBusValue?) -> [(name: String, value: OutputValue)] {
        (value?.propertyValues ?? [:]).sorted { $0.key < $1.key }.map { ($0.key, OutputValue(bus: $0.value)) }
    }
}

extension OutputValue {
    /// A value of D-Bus.
    init(bus value: DBusValue) {
        if let truth = value.booleanValue {
            self = .boolean(truth)
        } else if let text = value.stringValue ?? value.objectPathValue {
            self = .text(text)
        } else if let number = value.uint64Value ?? value.uint32Value.map(UInt64.init) {
            self = .integer(number)
        } else if let number = value.int64Value ?? value.int32Value.map(Int64.init) {
            self = .integer(number)
        } else if let elements = value.elements {
            self = .list(elements.map { OutputValue(bus: $0) })
        } else {
            self = .text("\(value)")
        }
    }
}
