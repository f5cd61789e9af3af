import CofferDBus
import CofferLinux
import CofferWire
import Synchronization

/// A session whose calls come over the bus: answers are method returns, pushes are signals to its name alone.
final class BusSession: PushSink {
    let session: Session
    private let connection: DBusConnection
    private let state = Mutex(State())

    private struct State {
        var isCongested = false
        var behind: [Subscription] = []
        var unread = UnreadReplies<HeldReply>()
    }

    init(session: Session, connection: DBusConnection) {
        self.session = session
        self.connection = connection
    }

    func enqueue(push: [UInt8]) -> Bool {
        // A message of the bus cannot be as long as a frame.
        if push.count > Limits.inlineBusReply || state.withLock({ $0.isCongested }) { return false }
        send(push: push)
        return true
    }

    func send(push: [UInt8]) {
        let signal = DBusMessage.signal(
            path: BusNames.path, interface: BusNames.name, member: "Push", body: [.bytes(push)],
            to: session.caller.busName)
        connection.post { [self] bus in send(signal, over: bus) }
    }

    func resumeWhenDrained(_ subscription: Subscription) {
        let isDrained = state.withLock { state in
            if state.isCongested { state.behind.append(subscription) }
            return !state.isCongested
        }
        if isDrained { subscription.resume() }
    }

    func forget(_ subscription: Subscription) {
        state.withLock { $0.behind.removeAll { $0 === subscription } }
    }

    func flush() {
        // Signals were posted one by one.
    }

    /// Sends a signal; libdbus's queue has no bound, so this is where it gets one.
    private func send(_ signal: DBusMessage, over bus: DBusBus) {
        do throws(DBusError) {
            try bus.send(signal)
        } catch {
            return  // The bus is gone, and the session with it.
        }
        guard bus.outgoingByteCount > Limits.pushBytes else { return }
        let wasCongested = state.withLock { state in
            defer { state.isCongested = true }
            return state.isCongested
        }
        // The bus answers when it has taken what was sent before.
        if !wasCongested { bus.ask(.ping) { [self] _ in goOn() } }
    }

    /// Goes on with pushes.
    private func goOn() {
        let waiting = state.withLock { state in
            state.isCongested = false
            defer { state.behind = [] }
            return state.behind
        }
        for subscription in waiting { subscription.resume() }
    }

    /// Counts the request of a call until that is answered.
    ///
    /// - Throws: `.tooMuchRequested` if too much of the client waits already; then it is not counted.
    func began(_ message: DBusMessage, _ payload: RequestPayload) throws(ServiceError) -> BusCall {
        let call = BusCall(message, payload)
        if call.byteCount == 0 { return call }
        do throws(ServiceError) {
            try session.budget.count(requested: call.byteCount)
        } catch {
            session.budget.uncount(requested: call.byteCount)
            throw error
        }
        return call
    }

    /// Answers a call of `ay ah → ay ah`.
    func answer(_ made: BusCall, with result: RPCResult) {
        session.callEnded(largeRequest: made.byteCount)
        let call = made.header
        do throws(DBusError) {
            switch result {
            case .end: preconditionFailure("a reply in parts to a call that takes none")
            case .reply(let payload, let descriptors)
            where !descriptors.isEmpty || payload.count > Limits.largeBusReply:
                if call.expectsReply { try answerLarge(made, payload: payload, descriptors: descriptors) }
            case .reply(let payload, let descriptors):
                try connection.reply(to: call, body: try BusSession.body(payload, descriptors))
            case .failure(let detail):
                try connection.replyError(
                    to: call, name: detail.busErrorName, message: detail.text.forBus)
            }
        } catch .disconnected {
            // onDisconnect ends the service.
        } catch {
            refuse(call, error)
        }
    }

    /// Gives a large answer to the bus, or keeps it until the caller has read others.
    private func answerLarge(
        _ made: BusCall, payload: [UInt8], descriptors: [OwnedDescriptor]
    ) throws(DBusError) {
        let isReady: Bool? = state.withLock { state in
            if state.unread.takes() { return true }
            guard state.unread.heldCount < Limits.heldBusReplies,
                !session.budget.refuses(memory: payload.count)
            else { return nil }
            state.unread.hold(HeldReply(call: made, payload: payload, descriptors: descriptors))
            session.budget.count(OutboundSize(memory: payload.count))
            return false
        }
        switch isReady {
        case true?: try connection.reply(to: made.header, body: try BusSession.body(payload, descriptors))
        case false?: break
        case nil:
            let detail = ServiceError.tooMuchUnread(limit: Limits.outboundMemory).detail
            try connection.replyError(
                to: made.header, name: detail.busErrorName, message: detail.text.forBus)
        }
        askWhetherRead()
    }

    /// Sends a ping behind the answers, which the caller answers once it has read them.
    private func askWhetherRead() {
        guard state.withLock({ $0.unread.beginAsking() }) else { return }
        let ping = DBusMessage.methodCall(
            to: session.caller.busName, path: BusNames.path, interface: "org.freedesktop.DBus.Peer",
            member: "Ping")
        let patience = Int(Limits.busPing.wholeNanoseconds / 1_000_000)
        connection.call(ping, timeoutMilliseconds: patience) { [weak self] result in
            // An error is an answer, too.
            let hasAnswered: Bool =
                switch result {
                case .success, .failure(.remote): true
                case .failure: false
                }
            self?.goOn(hasAnswered: hasAnswered)
        }
    }

    private func goOn(hasAnswered: Bool) {
        let ready = state.withLock { $0.unread.endAsking(hasAnswered: hasAnswered) }
        for reply in ready {
            session.budget.count(OutboundSize(memory: -reply.payload.count))
            do throws(DBusError) {
                try connection.reply(
                    to: reply.call.header, body: try BusSession.body(reply.payload, reply.descriptors))
            } catch .disconnected {
                return
            } catch {
                refuse(reply.call.header, error)
            }
        }
        if !ready.isEmpty { askWhetherRead() }
    }

    /// The caller makes a call while none of its others waits.
    func noteCall() { state.withLock { $0.unread.noteCall() } }

    deinit {
        let left = state.withLock { $0.unread.takeAll() }
        session.budget.count(OutboundSize(memory: -left.reduce(0) { $0 + $1.payload.count }))
    }

    /// Says that there is an answer which cannot be sent, lest its caller wait for it.
    private func refuse(_ call: DBusMessage, _ error: DBusError) {
        let detail = ErrorDetailMessage(
            code: .resourceExhausted, reason: "memory", text: "The reply cannot be sent: \(error)")
        // What fails now too is for want of a bus, or of memory for a few bytes.
        try? connection.replyError(to: call, name: detail.busErrorName, message: detail.text.forBus)
    }

    /// The body of a reply: large ones travel as one sealed memory.
    static func body(_ payload: [UInt8], _ descriptors: [OwnedDescriptor]) throws(DBusError) -> [DBusValue] {
        if payload.count <= Limits.inlineBusReply || !descriptors.isEmpty {
            return [.bytes(payload), .array("h", descriptors.map { .unixFD($0) })]
        }
        do throws(LinuxError) {
            return [.bytes([]), .array("h", [.unixFD(try Memfd.sealed(payload))])]
        } catch {
            throw .system(error)
        }
    }
}
