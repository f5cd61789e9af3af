import Glibc

/// Which bus to connect to.
package enum DBusAddress: Sendable, Equatable {
    /// The user's bus: `DBUS_SESSION_BUS_ADDRESS`, else the socket `bus` in `XDG_RUNTIME_DIR`.
    case session
    /// The machine's bus: `DBUS_SYSTEM_BUS_ADDRESS`, else its well-known socket.
    case system
    /// An address as the bus prints it, such as `unix:path=/run/user/1000/bus`.
    case explicit(String)

    /// The address as text.
    ///
    /// - Throws: `DBusError.connectFailed` if the environment names no session bus; none is ever started.
    package var text: String {
        get throws(DBusError) {
            switch self {
            case .explicit(let address): return address
            case .system:
                return DBusAddress.environment("DBUS_SYSTEM_BUS_ADDRESS")
                    ?? "unix:path=/var/run/dbus/system_bus_socket"
            case .session:
                if let address = DBusAddress.environment("DBUS_SESSION_BUS_ADDRESS") { return address }
                guard let folder = DBusAddress.environment("XDG_RUNTIME_DIR") else {
                    let hint = "neither DBUS_SESSION_BUS_ADDRESS nor XDG_RUNTIME_DIR is set"
                    throw .connectFailed(address: "session", message: hint)
                }
                return "unix:path=" + DBusAddress.escape(folder + "/bus")
            }
        }
    }

    /// Writes any text as a value in an address; other bytes than the specification's become `%xx`.
    package static func escape(_ value: String) -> String {
        let digits = Array("0123456789abcdef".utf8)
        var result: [UInt8] = []
        for byte in value.utf8 {
            if DBusName.isWord(byte) || "-/.\\*".utf8.contains(byte) {
                result.append(byte)
            } else {
                result += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    private static func environment(_ name: String) -> String? {
        guard let value = unsafe getenv(name), unsafe value[0] != 0 else { return nil }
        return unsafe String(cString: value)
    }
}
