import CofferDBus
import CofferWire

/// Calls of the standard interfaces and of the typed ones; on a worker, since they may block.
struct StandardCalls: Sendable {
    let tree: BusTree

    /// The body of the reply.
    func answer(_ call: DBusMessage) throws -> [DBusValue] {
        let path = call.path ?? "/"
        switch (call.interface, call.member) {
        case ("org.freedesktop.DBus.Introspectable", "Introspect"):
            guard let text = tree.introspection(of: path) else { throw BusFault.unknownObject(path) }
            return [.string(text)]
        case ("org.freedesktop.DBus.ObjectManager", "GetManagedObjects") where path == BusNames.path:
            return [managedObjects]
        case ("org.freedesktop.DBus.Properties", let member?):
            return try properties(member, call: call, of: try object(path))
        default:
            return try typed(call, try object(path))
        }
    }

    private func object(_ path: String) throws -> [BoundInterface] {
        guard let interfaces = tree.interfaces(at: path) else { throw BusFault.unknownObject(path) }
        return interfaces
    }

    private var managedObjects: DBusValue {
        .dictionary(
            "o", "a{sa{sv}}",
            tree.managedObjects.map { path, interfaces in
                .init(.objectPath(path), Self.properties(of: interfaces))
            })
    }

    /// `a{sa{sv}}`: what `InterfacesAdded` carries too.
    static func properties(of interfaces: [BoundInterface]) -> DBusValue {
        .dictionary(
            "s", "a{sv}",
            interfaces.map { .init(.string($0.description.name), .properties($0.values())) })
    }

    private func properties(_ member: String, call: DBusMessage, of object: [BoundInterface]) throws
        -> [DBusValue]
    {
        let name = try call.argument(0, \.stringValue)
        // No name means any interface, and each of our objects has one of its own.
        guard let interface = object.first(where: { name.isEmpty || $0.description.name == name }) else {
            // The standard interfaces have no properties.
            if member == "GetAll", name.hasPrefix("org.freedesktop.DBus.") { return [.properties([:])] }
            throw BusFault.unknownInterface(name)
        }
        switch member {
        case "GetAll": return [.properties(interface.values())]
        case "Get":
            let property = try call.argument(1, \.stringValue)
            guard let value = interface.values()[property] else { throw BusFault.unknownProperty(property) }
            return [.variant(value)]
        case "Set": throw BusFault.readOnlyProperty(try call.argument(1, \.stringValue))
        default: throw BusFault.unknownMethod(member)
        }
    }

    private func typed(_ call: DBusMessage, _ object: [BoundInterface]) throws -> [DBusValue] {
        let member = call.member ?? ""
        for interface in object where call.interface == nil || call.interface == interface.description.name {
            if let method = interface.method(member) { return try method(tree.caller, call.body) }
        }
        throw BusFault.unknownMethod(member)
    }
}

/// Why a call of a standard or typed interface cannot be answered; each has its name in the D-Bus
/// specification.
enum BusFault: Error, CustomStringConvertible {
    case unknownObject(String)
    case unknownInterface(String)
    case unknownMethod(String)
    case unknownProperty(String)
    case readOnlyProperty(String)

    var name: String {
        switch self {
        case .unknownObject: DBusErrorName.unknownObject
        case .unknownInterface: DBusErrorName.unknownInterface
        case .unknownMethod: DBusErrorName.unknownMethod
        case .unknownProperty: DBusErrorName.unknownProperty
        case .readOnlyProperty: DBusErrorName.propertyReadOnly
        }
    }

    var description: String {
        switch self {
        case .unknownObject(let path): "There is no object \(path)."
        case .unknownInterface(let name): "The object has no interface \(name)."
        case .unknownMethod(let name): "The object has no method \(name)."
        case .unknownProperty(let name): "The interface has no property \(name)."
        case .readOnlyProperty(let name): "The property \(name) cannot be set."
        }
    }
}
