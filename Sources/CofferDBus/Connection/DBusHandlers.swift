/// What a connection does with that which arrives; all run on the connection's thread and may not block.
package struct DBusHandlers: Sendable {
    /// Answers a call, now through the bus given or later through the connection.
    package var onMethodCall: @Sendable (DBusBus, DBusMessage) -> Void
    /// Takes a signal, those of the bus itself (`NameOwnerChanged`, `NameLost`) included.
    package var onSignal: @Sendable (DBusBus, DBusMessage) -> Void
    /// Hears, once and last, that the bus is gone; not called after `close`.
    package var onDisconnect: @Sendable () -> Void

    /// Makes handlers; without any, calls are answered with `UnknownMethod` and signals ignored.
    package init(
        onMethodCall: @escaping @Sendable (DBusBus, DBusMessage) -> Void = { $0.refuse($1) },
        onSignal: @escaping @Sendable (DBusBus, DBusMessage) -> Void = { _, _ in },
        onDisconnect: @escaping @Sendable () -> Void = {}
    ) {
        self.onMethodCall = onMethodCall
        self.onSignal = onSignal
        self.onDisconnect = onDisconnect
    }
}
