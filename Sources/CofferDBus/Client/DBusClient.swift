import CDBus

/// A connection to a bus without any thread, whose calls block.
///
/// Confined: made where it is used, or handed over whole. Between calls nothing is read; signals wait.
@safe package final class DBusClient {
    /// The name that the bus gave this connection.
    package var uniqueName: String { handle.uniqueName }
    /// Whether the bus is still there, as far as the last call saw.
    package var isConnected: Bool { handle.isConnected }
    /// Signals that were dropped, because too many waited or one passed a limit.
    package private(set) var droppedSignalCount = 0

    private let handle: ConnectionHandle
    private var signals: [DBusMessage] = []

    /// Connects and registers.
    ///
    /// - Throws: `DBusError.connectFailed` or `.outOfMemory`.
    package init(to address: DBusAddress) throws(DBusError) { handle = try ConnectionHandle(to: address) }

    /// Calls a method and waits for its reply; the bus starts the callee if a service file names it.
    ///
    /// - Throws: `DBusError.remote` with the callee's error (`isNameNotOwned` if there is no callee),
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
        let call = try EncodedCall(message, timeoutMilliseconds: timeoutMilliseconds)
        let serial = try handle.send(call.message)
        let reply = try wait(until: call.deadline) { answer in
            answer.isAnswer && answer.replySerial == serial && call.accepts(answer)
        }
        guard let reply else { throw .timeout(milliseconds: call.timeoutMilliseconds) }
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

    /// The next signal, or `nil` if none came within the time.
    ///
    /// - Throws: `DBusError.disconnected` once the bus is gone and no signal is left.
    package func nextSignal(timeoutMilliseconds: Int) throws(DBusError) -> DBusMessage? {
        if !signals.isEmpty { return signals.removeFirst() }
        return try wait(until: .now + .milliseconds(max(0, timeoutMilliseconds))) { $0.kind == .signal }
    }

    /// Reads until a message satisfies `isWanted`; keeps the signals and refuses the calls among the others.
    private func wait(
        until deadline: ContinuousClock.Instant, for isWanted: (DBusMessage) -> Bool
    ) throws(DBusError) -> DBusMessage? {
        var hasRead = false
        while true {
            while let pointer = unsafe dbus_connection_pop_message(handle.pointer) {
                defer { unsafe dbus_message_unref(pointer) }
                if let message = try unsafe take(pointer, isWanted) { return message }
            }
            let rest = (deadline - .now).millisecondsRoundedUp
            if hasRead, rest == 0 { return nil }
            hasRead = true
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
        switch message.kind {
        case .signal:
            guard unsafe read(pointer, into: &message) else { return nil }
            if isWantedNow { return message }
            keep(message)
        case .methodReturn, .error:
            guard isWantedNow else { return nil }  // Its call has timed out.
            message.body = try unsafe DBusMessage.body(of: pointer)
            return message
        case .methodCall: try answer(message)
        }
        return nil
    }

    /// Reads a signal's body; false if it passes a limit, which no caller here is to blame for.
    private func read(_ pointer: OpaquePointer, into signal: inout DBusMessage) -> Bool {
        do throws(DBusError) {
            signal.body = try unsafe DBusMessage.body(of: pointer)
            return true
        } catch {
            droppedSignalCount += 1
            return false
        }
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
