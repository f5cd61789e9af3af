import CDBus
import CofferLinux

extension DBusBus {
    /// Serves the connection until it is closed or the bus is gone.
    func run() {
        guard installFilter() else { return end(.outOfMemory) }
        defer { removeFilter() }
        while true {
            let hasMore = dispatch()
            for work in mailbox.take() { work(self) }
            expireCalls()
            if isDisconnected { break }
            if let closingDeadline, outgoingByteCount == 0 || closingDeadline <= .now { break }
            let timeout = hasMore || !mailbox.isEmpty ? 0 : millisecondsToNextDeadline()
            if watches.wait(event: mailbox.event.number, timeoutMilliseconds: timeout) {
                mailbox.event.drain()
            }
        }
        end(.disconnected)
        if closingDeadline == nil { handlers.onDisconnect() }
    }

    /// Ends the loop once what was sent is written.
    func close() {
        closingDeadline = closingDeadline ?? .now + .milliseconds(Limits.closingMilliseconds)
    }

    /// Runs the filter on what has arrived; whether more waits.
    private func dispatch() -> Bool {
        for _ in 0..<Limits.dispatchesInARow {
            let status = unsafe dbus_connection_dispatch(handle.pointer)
            guard status == DBUS_DISPATCH_DATA_REMAINS else { break }
        }
        return unsafe dbus_connection_get_dispatch_status(handle.pointer) != DBUS_DISPATCH_COMPLETE
    }

    private func end(_ error: DBusError) {
        isDisconnected = true
        for work in mailbox.take(isLast: true) { work(self) }  // They find the bus gone, and say so.
        let calls = pending.values
        pending = [:]
        for call in calls { call.completion(.failure(error)) }
    }

    private func expireCalls() {
        guard !pending.isEmpty else { return }
        let now = ContinuousClock.now
        for (serial, waiting) in pending where waiting.deadline <= now {
            pending[serial] = nil
            waiting.completion(.failure(.timeout(milliseconds: waiting.call.timeoutMilliseconds)))
        }
    }

    private func millisecondsToNextDeadline() -> Int32 {
        let nextCall = pending.values.lazy.map(\.deadline).min()
        guard let next = [nextCall, closingDeadline].compactMap({ $0 }).min() else { return -1 }
        return (next - .now).millisecondsRoundedUp
    }
}

extension DBusBus {
    private func installFilter() -> Bool {
        let data = unsafe Unmanaged.passUnretained(self).toOpaque()  // `run` outlives the filter.
        return unsafe dbus_connection_add_filter(handle.pointer, DBusBus.filter, data, nil) != 0
    }

    private func removeFilter() {
        let data = unsafe Unmanaged.passUnretained(self).toOpaque()
        unsafe dbus_connection_remove_filter(handle.pointer, DBusBus.filter, data)
    }

    /// Takes every message but the calls of `org.freedesktop.DBus.Peer`, which libdbus answers before.
    private static let filter: DBusHandleMessageFunction = { _, message, data in
        guard let message = unsafe message, let data = unsafe data else {
            return DBUS_HANDLER_RESULT_NOT_YET_HANDLED
        }
        unsafe Unmanaged<DBusBus>.fromOpaque(data).takeUnretainedValue().take(message)
        return DBUS_HANDLER_RESULT_HANDLED
    }

    private func take(_ pointer: OpaquePointer) {
        guard var message = unsafe DBusMessage(headerOf: pointer) else { return }
        if message.isDisconnection {
            isDisconnected = true
            return
        }
        do throws(DBusError) {
            message.body = try unsafe DBusMessage.body(of: pointer)
            deliver(message)
        } catch {
            deliverUnreadable(message, error)
        }
    }

    private func deliver(_ message: DBusMessage) {
        switch message.kind {
        case .methodCall: handlers.onMethodCall(self, message)
        case .signal: handlers.onSignal(self, message)
        case .methodReturn, .error: complete(message, message.outcome)
        }
    }

    /// Ends the call that `answer` belongs to; if there is none, the answer came too late or from another
    /// sender.
    private func complete(_ answer: DBusMessage, _ outcome: Result<DBusMessage, DBusError>) {
        guard let waiting = pending[answer.replySerial], waiting.call.accepts(answer) else { return }
        pending[answer.replySerial] = nil
        waiting.completion(outcome)
    }

    /// Tells the caller that waits, or the peer that called, that `message` passes a limit.
    private func deliverUnreadable(_ message: DBusMessage, _ error: DBusError) {
        switch message.kind {
        case .signal: break
        case .methodReturn, .error: complete(message, .failure(error))
        case .methodCall: refuse(message, name: DBusErrorName.limitsExceeded, message: "\(error)")
        }
    }
}

extension Duration {
    /// As `poll` takes it: never too short, never negative.
    var millisecondsRoundedUp: Int32 {
        guard self > .zero else { return 0 }
        let parts = components
        return Int32(clamping: parts.seconds * 1_000 + parts.attoseconds / 1_000_000_000_000_000 + 1)
    }
}
