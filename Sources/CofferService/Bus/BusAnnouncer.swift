import CofferDBus

/// Tells the names that watch objects that objects came, went or changed.
///
/// Nothing is broadcast, since other users, and sandboxes that may talk to the service, would hear it: the
/// signals go to the names that asked for the objects, and of these to those that may see the object.
struct BusAnnouncer: Sendable {
    let connection: DBusConnection
    let listeners: [String]

    func added(_ path: String, _ interfaces: [BoundInterface]) {
        if listeners.isEmpty { return }
        send("InterfacesAdded", [.objectPath(path), StandardCalls.properties(of: interfaces)])
    }

    func removed(_ path: String, _ interfaces: [String]) {
        send("InterfacesRemoved", [.objectPath(path), .strings(interfaces)])
    }

    func changed(_ path: String, _ interface: BoundInterface) {
        let told = Set(interface.description.properties.filter { $0.changeSignal == .value }.map(\.name))
        send(
            "PropertiesChanged", of: "org.freedesktop.DBus.Properties", at: path,
            [
                .string(interface.description.name),
                .properties(interface.values().filter { told.contains($0.key) }), .strings([]),
            ])
    }

    private func send(
        _ member: String, of interface: String = "org.freedesktop.DBus.ObjectManager",
        at path: String = BusNames.path, _ body: [DBusValue]
    ) {
        for listener in listeners {
            let signal = DBusMessage.signal(
                path: path, interface: interface, member: member, body: body, to: listener)
            connection.post { bus in
                _ = try? bus.send(signal)  // The bus is gone, which onDisconnect tells.
            }
        }
    }
}
