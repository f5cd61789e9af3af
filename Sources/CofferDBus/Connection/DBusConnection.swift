import CofferLinux

/// A connection to a bus with a thread of its own, for services.
///
/// Shared: every operation is posted to the thread, which sleeps without any timer while nothing happens.
/// Letting go of the object closes it as `close` does.
package final class DBusConnection: Sendable {
    /// The name that the bus gave this connection.
    package let uniqueName: String
    private let mailbox: LoopMailbox
    private let ended: Promise<Void>

    /// Connects, registers and starts the thread.
    ///
    /// - Throws: `DBusError.connectFailed`, `.system` or `.outOfMemory`.
    package init(to address: DBusAddress, handlers: DBusHandlers = DBusHandlers()) throws(DBusError) {
        let mailbox = try LoopMailbox()
        let started = Promise<Result<String, DBusError>>()
        let ended = Promise<Void>()
        try DBusConnection.startThread {
            do throws(DBusError) {
                mailbox.adoptThread()
                let bus = try DBusBus(to: address, handlers: handlers, mailbox: mailbox)
                started.put(.success(bus.uniqueName))
                bus.run()
            } catch {
                started.put(.failure(error))
            }
            ended.put(())
        }
        uniqueName = try started.wait().get()
        self.mailbox = mailbox
        self.ended = ended
    }

    private static func startThread(_ body: @escaping @Sendable () -> Void) throws(DBusError) {
        do throws(LinuxError) {
            _ = try WorkerThread(name: "coffer-dbus", body)
        } catch {
            throw DBusError(error)
        }
    }

    deinit { _ = mailbox.post { $0.close() } }

    /// Whether the calling thread is the connection's own.
    package var isOnLoopThread: Bool { mailbox.isOnLoopThread }

    /// Runs `work` on the connection's thread, after all that was posted before.
    ///
    /// - Returns: False if the connection is closed; then `work` never runs.
    @discardableResult
    package func post(_ work: @escaping @Sendable (DBusBus) -> Void) -> Bool { mailbox.post(work) }

    /// Sends `message`, checked and encoded on the calling thread.
    ///
    /// - Throws: What is wrong with the message, or `DBusError.disconnected`. That the bus goes away later is
    ///   told by `onDisconnect` alone.
    package func send(_ message: DBusMessage) throws(DBusError) {
        let encoded = try message.encoded()
        // Sending a checked message fails if the bus is gone, which `onDisconnect` tells, or if memory runs
        // out.
        guard mailbox.post({ bus in _ = try? bus.send(encoded: encoded) }) else { throw .disconnected }
    }

    /// Answers `call` with `body`, unless its caller reads no reply.
    package func reply(to call: DBusMessage, body: [DBusValue] = []) throws(DBusError) {
        guard call.expectsReply else { return }
        try send(.reply(to: call, body: body))
    }

    /// Answers `call` with an error, unless its caller reads no reply.
    package func replyError(
        to call: DBusMessage, name: String, message: String
    ) throws(DBusError) {
        guard call.expectsReply else { return }
        try send(.errorReply(to: call, name: name, message: message))
    }

    /// Closes the connection once all that was sent is written, and waits for that unless on its own thread.
    ///
    /// Calls that wait end with `DBusError.disconnected`.
    package func close() {
        let isOnLoopThread = isOnLoopThread
        _ = mailbox.post { $0.close() }
        if !isOnLoopThread { ended.wait() }
    }
}

extension DBusConnection {
    /// Sends a call; `completion` runs exactly once.
    ///
    /// It runs on the connection's thread or, if nothing can be sent, before this returns.
    package func call(
        _ message: DBusMessage, timeoutMilliseconds: Int? = nil,
        completion: @escaping @Sendable (Result<DBusMessage, DBusError>) -> Void
    ) {
        do throws(DBusError) {
            let encoded = try EncodedCall(message, timeoutMilliseconds: timeoutMilliseconds)
            let isPosted = mailbox.post { bus in
                do throws(DBusError) {
                    try bus.call(encoded, completion: completion)
                } catch {
                    completion(.failure(error))
                }
            }
            if !isPosted { completion(.failure(.disconnected)) }
        } catch {
            completion(.failure(error))
        }
    }

    /// Sends a call and waits for its reply.
    ///
    /// - Throws: `DBusError.remote` with the callee's error, `.timeout`, `.disconnected`, or what is wrong
    ///   with the message.
    /// - Precondition: The calling thread is not the connection's own.
    package func callBlocking(
        _ message: DBusMessage, timeoutMilliseconds: Int? = nil
    ) throws(DBusError) -> DBusMessage {
        precondition(!isOnLoopThread, "a blocking call on the connection's own thread would wait for ever")
        let handoff = Promise<Result<DBusMessage, DBusError>>()
        call(message, timeoutMilliseconds: timeoutMilliseconds) { handoff.put($0) }
        return try handoff.wait().get()
    }

    /// Asks the bus itself and waits for its answer.
    ///
    /// - Precondition: The calling thread is not the connection's own.
    package func ask<Reply>(_ request: DBusRequest<Reply>) throws(DBusError) -> Reply {
        try request.read(callBlocking(request.message))
    }

    /// Asks the bus itself; `completion` runs as that of `call`.
    package func ask<Reply>(
        _ request: DBusRequest<Reply>, completion: @escaping @Sendable (Result<Reply, DBusError>) -> Void
    ) {
        call(request.message) { result in completion(request.result(of: result)) }
    }

    /// Waits until everything sent before by this thread has reached the bus.
    ///
    /// - Precondition: The calling thread is not the connection's own.
    package func flush() throws(DBusError) { try ask(.ping) }
}
