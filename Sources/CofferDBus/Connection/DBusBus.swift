/// A connection to a bus, as seen from the thread that drives it.
///
/// Confined to that thread: handlers, completions and posted work are given it and must not keep it.
package final class DBusBus {
    struct PendingCall {
        let call: EncodedCall
        let deadline: ContinuousClock.Instant
        let completion: (Result<DBusMessage, DBusError>) -> Void
    }

    /// The name that the bus gave this connection.
    package var uniqueName: String { handle.uniqueName }
    /// Whether the bus is still there.
    package var isConnected: Bool { !isDisconnected && handle.isConnected }
    /// Bytes that are sent but not yet written; a sender of much waits while this grows.
    package var outgoingByteCount: Int { handle.outgoingByteCount }

    let handle: ConnectionHandle
    let watches: WatchSet
    let mailbox: LoopMailbox
    let handlers: DBusHandlers
    var pending: [UInt32: PendingCall] = [:]
    var isDisconnected = false
    var closingDeadline: ContinuousClock.Instant?

    init(to address: DBusAddress, handlers: DBusHandlers, mailbox: LoopMailbox) throws(DBusError) {
        handle = try ConnectionHandle(to: address)
        watches = try WatchSet.attach(to: handle)
        self.handlers = handlers
        self.mailbox = mailbox
    }

    /// Sends `message` without waiting for any answer; its serial.
    @discardableResult
    package func send(_ message: DBusMessage) throws(DBusError) -> UInt32 {
        try send(encoded: message.encoded())
    }

    @discardableResult
    func send(encoded message: EncodedMessage) throws(DBusError) -> UInt32 {
        guard isConnected else { throw .disconnected }
        return try handle.send(message)
    }

    /// Sends a call; `completion` runs on this thread, exactly once.
    ///
    /// If nothing can be sent, it runs before this returns.
    package func call(
        _ message: DBusMessage, timeoutMilliseconds: Int? = nil,
        completion: @escaping (Result<DBusMessage, DBusError>) -> Void
    ) {
        do throws(DBusError) {
            let encoded = try EncodedCall(message, timeoutMilliseconds: timeoutMilliseconds)
            try call(encoded, completion: completion)
        } catch {
            completion(.failure(error))
        }
    }

    /// Sends a call, or throws and never runs `completion`.
    func call(
        _ call: EncodedCall, completion: @escaping (Result<DBusMessage, DBusError>) -> Void
    ) throws(DBusError) {
        guard pending.count < Limits.pendingCalls else {
            throw .tooLarge("calls that wait, at most \(Limits.pendingCalls)")
        }
        let serial = try send(encoded: call.message)
        pending[serial] = PendingCall(call: call, deadline: call.deadline, completion: completion)
    }

    /// Asks the bus itself; `completion` runs as that of `call`.
    package func ask<Reply>(
        _ request: DBusRequest<Reply>, completion: @escaping (Result<Reply, DBusError>) -> Void
    ) {
        call(request.message) { result in completion(request.result(of: result)) }
    }

    /// Answers a call of an unknown method.
    package func refuse(_ call: DBusMessage) {
        let text = "No method '\(call.member ?? "")' on '\(call.path ?? "")'"
        refuse(call, name: DBusErrorName.unknownMethod, message: text)
    }

    /// Answers a call with an error, unless its caller reads no reply or is gone.
    package func refuse(_ call: DBusMessage, name: String, message: String) {
        guard call.expectsReply else { return }
        let reply = DBusMessage.errorReply(to: call, name: name, message: message)
        // It fails if the bus is gone, which is told in another way, or if memory runs out.
        _ = try? send(reply)
    }
}
