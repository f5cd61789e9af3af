import CDBus

/// One message of libdbus, complete, on its way to a connection.
///
/// Shared: made by one thread and not changed until a connection takes it.
// Guarded by being complete: no thread writes to the message, and libdbus counts references atomically.
@safe final class EncodedMessage: @unchecked Sendable {
    let pointer: OpaquePointer

    /// Takes the only reference to `pointer`.
    init(owning pointer: OpaquePointer) { unsafe self.pointer = pointer }

    deinit { unsafe dbus_message_unref(pointer) }
}
