import CDBus

/// One private connection of libdbus, registered with its bus; closed and freed with this object.
///
/// Confined to the thread that made it.
@safe final class ConnectionHandle {
    let pointer: OpaquePointer
    /// The name that the bus gave us.
    let uniqueName: String

    /// libdbus must know of threads before its first other call.
    private static let threads: Bool = {
        dbus_connection_set_change_sigpipe(0)  // It writes without that signal; the process's choice stays.
        return dbus_threads_init_default() != 0
    }()

    /// Connects and registers; blocks until the bus has answered.
    init(to address: DBusAddress) throws(DBusError) {
        guard ConnectionHandle.threads else { throw .outOfMemory }
        let text = try address.text
        let failure = FailureReport()
        guard let pointer = unsafe dbus_connection_open_private(text, &failure.raw) else {
            throw .connectFailed(address: text, message: failure.message)
        }
        // Else libdbus would end the process when the bus goes away.
        unsafe dbus_connection_set_exit_on_disconnect(pointer, 0)
        let isRegistered = unsafe dbus_bus_register(pointer, &failure.raw) != 0
        guard isRegistered, let name = unsafe dbus_bus_get_unique_name(pointer) else {
            unsafe dbus_connection_close(pointer)
            unsafe dbus_connection_unref(pointer)
            throw .connectFailed(address: text, message: failure.message)
        }
        unsafe self.pointer = pointer
        uniqueName = unsafe String(cString: name)
    }

    deinit {
        unsafe dbus_connection_close(pointer)
        unsafe dbus_connection_unref(pointer)
    }

    var isConnected: Bool { unsafe dbus_connection_get_is_connected(pointer) != 0 }

    /// Bytes that are sent but not yet written.
    var outgoingByteCount: Int { unsafe Int(dbus_connection_get_outgoing_size(pointer)) }

    /// Queues `message` and writes what the socket takes at once; the message's serial.
    @discardableResult
    func send(_ message: EncodedMessage) throws(DBusError) -> UInt32 {
        guard isConnected else { throw .disconnected }
        let hasDescriptors = unsafe dbus_message_contains_unix_fds(message.pointer) != 0
        if hasDescriptors, unsafe dbus_connection_can_send_type(pointer, TypeCode.unixFD) == 0 {
            throw .descriptorsRefused
        }
        var serial: UInt32 = 0
        guard unsafe dbus_connection_send(pointer, message.pointer, &serial) != 0 else { throw .outOfMemory }
        return serial
    }
}

/// The error that a call of libdbus fills in, freed with this object.
@safe private final class FailureReport {
    var raw: CDBus.DBusError

    init() {
        unsafe raw = CDBus.DBusError()
        unsafe dbus_error_init(&raw)
    }

    deinit { unsafe dbus_error_free(&raw) }

    var message: String {
        guard let text = unsafe raw.message else { return "unknown failure" }
        return unsafe String(cString: text)
    }
}
