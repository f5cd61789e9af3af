import CDBus

/// A connection to a bus without any thread, whose calls block.
///
/// Confined: made where it is used, or handed over whole. While nobody calls, nothing is read; signals wait.
@safe package final class DBusClient {
    /// The name that the bus gave this connection.
    package var uniqueName: String { handle.uniqueName }
    /// Whether the bus is still there, as far as the last call saw.
    package var isConnected: Bool { handle.isConnected }
    /// Signals that came while nobody asked, and were dropped because too many waited.
    package private(set) var droppedSignalCount = 0

    private let handle: ConnectionHandle
    private var signals: [DBusMessage] = []

    /// Connects and registers.
    ///
    /// - Throws: `DBusError.connectFailed` or `.outOfMemory`.
    package init(to address: DBusAddress) throws(DBusError) { handle = try ConnectionHandle(to: address) }

    /// Calls a method and waits for its reply; the bus starts the callee where a service file names it.
    ///
    /// - Throws: `DBusError.remote` with the callee's error (`isNameNotOwned` where there is no callee),
    ///   `.timeout`, `.disconnected`, or what is wrong with the call.
    package func call(
        _ destination: String, path: String, interface: String, member: String, body: [DBusValue] = [],
        flags: DBusMessage.Flags = [], timeoutMilliseconds: Int? = nil
    ) throws(DBusError) -> DBusMessage {
        let message = DBusMessage.methodCall(
            to: destination, path: path, interface: interface, member: member, body: body, flags: flags)
        return try call(message, timeoutMilliseconds: timeoutMilliseconds)
    }

    /// Sends a call and waits for its reply.
    package func call(
        _ message: DBusMessage, timeoutMilliseconds: Int? = nil
    ) throws(DBusError) -> DBusMessage {
        let timeout = max(0, timeoutMilliseconds ?? Limits.callMilliseconds)
        let serial = try handle.send(message.encoded())
        let reply = try wait(milliseconds: timeout) { $0.replySerial == serial && $0.isAnswer }
        guard let reply else { throw .timeout(milliseconds: timeout) }
        return try reply.outcome.get()
    }

    /// Sends `message` and waits until it is written.
    package func send(_ message: DBusMessage) throws(DBusError) {
        try handle.send(message.encoded())
        unsafe dbus_connection_flush(handle.pointer)
    }

    /// Asks the bus itself, as in `try client.ask(.addMatch(rule))`.
    package func ask<Reply>(_ request: DBusRequest<Reply>) throws(DBusError) -> Reply {
        try request.read(call(request.message))
    }

    /// The next signal, or `nil` where none came within the time.
    ///
    /// - Throws: `DBusError.disconnected` once the bus is gone and no signal is left.
    package func nextSignal(timeoutMilliseconds: Int) throws(DBusError) -> DBusMessage? {
        if !signals.isEmpty { return signals.removeFirst() }
        return try wait(milliseconds: max(0, timeoutMilliseconds)) { $0.kind == .signal }
    }

    /// Reads until a message satisfies `isWanted`; keeps the signals and refuses the calls among the others.
    private func wait(
        milliseconds: Int, for isWanted: (DBusMessage) -> Bool
    ) throws(DBusError) -> DBusMessage? {
        let deadline = ContinuousClock.now + .milliseconds(milliseconds)
        while true {
            while let pointer = unsafe dbus_connection_pop_message(handle.pointer) {
                defer { unsafe dbus_message_unref(pointer) }
                if let message = try unsafe take(pointer, isWanted) { return message }
            }
            let rest = (deadline - .now).millisecondsRoundedUp
            guard rest > 0 else { return nil }
            guard unsafe dbus_connection_read_write(handle.pointer, rest) != 0 || hasMessages else {
                throw .disconnected
            }
        }
    }

    private var hasMessages: Bool {
        unsafe dbus_connection_get_dispatch_status(handle.pointer) == DBUS_DISPATCH_DATA_REMAINS
    }

    private func take(
        _ pointer: OpaquePointer, _ isWanted: (DBusMessage) -> Bool
    ) throws(DBusError) -> DBusMessage? {
        guard var message = unsafe DBusMessage(headerOf: pointer) else { return nil }
        if message.isDisconnection { throw .disconnected }
        let isWantedNow = isWanted(message)
        if isWantedNow || message.kind == .signal {
            message.body = try unsafe DBusMessage.body(of: pointer)
        }
        if isWantedNow { return message }
        switch message.kind {
        case .signal: keep(message)
        case .methodCall: try answer(message)
        case .methodReturn, .error: break  // Its call has timed out.
        }
        return nil
    }

    private func keep(_ signal: DBusMessage) {
        if signals.count >= Limits.queuedSignals {
            signals.removeFirst()
            droppedSignalCount += 1
        }
        signals.append(signal)
    }

    /// A client has no objects, but is alive.
    private func answer(_ call: DBusMessage) throws(DBusError) {
        guard call.expectsReply else { return }
        if call.interface == "org.freedesktop.DBus.Peer", call.member == "Ping" {
            try handle.send(DBusMessage.reply(to: call).encoded())
        } else {
            let name = DBusErrorName.unknownMethod
            let reply = DBusMessage.errorReply(to: call, name: name, message: "This client has no methods")
            try handle.send(reply.encoded())
        }
    }
}

extension DBusMessage {
    fileprivate var isAnswer: Bool { kind == .methodReturn || kind == .error }
}
