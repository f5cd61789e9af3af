import CofferDBus

/// Tells who watches objects that they came or went.
///
/// On the session bus by a broadcast, which one user alone can hear; on the system bus not at all, since others would hear it.
struct BusAnnouncer: Sendable {
    let connection: DBusConnection
    let isSystem: Bool

    func added(_ path: String, _ interfaces: [BoundInterface]) {
        send("InterfacesAdded", [.objectPath(path), StandardCalls.properties(of: interfaces)])
    }

    func removed(_ path: String, _ interfaces: [String]) {
        send("InterfacesRemoved", [.objectPath(path), .strings(interfaces)])
    }

    private func send(_ member: String, _ body: [DBusValue]) {
        if isSystem { return }
        let signal = DBusMessage.signal(
            path: BusNames.path, interface: "org.freedesktop.DBus.ObjectManager", member: member, body: body)
        connection.post { bus in
            _ = try? bus.send(signal)  // The bus is gone, which onDisconnect tells.
        }
    }
}
