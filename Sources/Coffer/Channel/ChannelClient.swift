internal import CofferLinux
package import CofferWire
package import FoundationEssentials
internal import Synchronization

/// One process's connection to the service: calls, pushes, and coming back after the service was lost.
///
/// Shared: any thread may call, and blocks until its reply is there. When the channel is lost, calls wait
/// while one thread opens another, opens the stores again and catches up; then they are sent again, saves
/// under the same request id.
package final class ChannelClient: Sendable {
    /// What the client says of itself.
    package struct Identity: Sendable {
        /// The application's reverse-DNS id.
        package var application: String
        /// The process's name.
        package var processName: String
        /// Names the client for ever.
        package var client: UUID

        /// An identity under which a process greets the service; by default the process's own name and a new
        /// UUID.
        package init(application: String, processName: String? = nil, client: UUID = UUID()) {
            self.application = application
            self.processName = processName ?? ProcessName.own
            self.client = client
        }
    }

    /// Told of `.disconnected` and `.reconnected`.
    typealias ConnectionListener = @Sendable (CoordinatorEvent) -> Void

    struct StoreTable {
        var byHandle: [UInt32: ChannelStore] = [:]
        var lastHandle: UInt32 = 0
    }

    let identity: Identity
    let connector: any ChannelConnector
    /// How long calls wait for a lost service.
    let reconnection: Duration
    let connection = ConditionLock(ConnectionState())
    let stores = Mutex(StoreTable())
    let feed = ChannelFeed()
    let contexts = ContextCount()
    let identityListeners = IdentityListeners()
    /// Told when a shared store is further.
    let syncListeners = IdentityListeners()
    let idleReader: IdleReader
    private let sequence = Mutex(RequestSequence())
    private let listeners = Mutex<[UInt32: ConnectionListener]>([:])
    /// What came of stores whose opening is not finished.
    let strays = Mutex(StrayEvents())
    /// The migrations of stores by policies of this process.
    let dialogues = Mutex<[UUID: MigrationDialogue]>([:])

    /// A client that connects when it is first used.
    ///
    /// - Throws: `.unavailable` if the system refuses a thread.
    package init(
        identity: Identity, connector: any ChannelConnector, reconnection: Duration? = nil
    ) throws(CofferError) {
        self.identity = identity
        self.connector = connector
        self.reconnection = reconnection ?? Limits.reconnection
        do throws(LinuxError) {
            idleReader = try IdleReader()
            try idleReader.start { [weak self] in
                guard let self else { return false }
                work()
                return true
            }
        } catch {
            throw .unavailable("No thread can read the channel: \(error)")
        }
    }

    deinit { idleReader.stop() }

    /// How often the thread that reads while no thread calls was woken; the number stands still in an idle
    /// process.
    package var wakeUpCount: Int { idleReader.wakeUpCount }
}

extension ChannelClient {
    /// Calls a method with a packed request and gives the packed reply.
    ///
    /// The reply may take `timeout` once the service is there; for ever if that is `nil`.
    /// - Throws: `.refused` with the service's reason, `.unavailable` if the service does not come back.
    package func call(
        _ method: ChannelMethod, payload: [UInt8], timeout: Duration? = nil
    ) throws(CofferError) -> [UInt8] {
        try roundTrip(method, timeout: timeout) { _, _ throws(CofferError) in payload }.payload.copied
    }

    /// Calls a method that names no store.
    func call<Reply: WireMessage>(
        _ method: ChannelMethod, _ request: some WireMessage, reply: Reply.Type
    ) throws(CofferError) -> Reply {
        let payload = try ChannelClient.packed(request)
        let frame = try roundTrip(method) { _, _ throws(CofferError) in payload }
        return try ChannelClient.message(frame)
    }

    /// Calls a method that names no store, with descriptors beside the request.
    func call<Reply: WireMessage>(
        _ method: ChannelMethod, _ request: some WireMessage, descriptors: [OwnedDescriptor],
        reply: Reply.Type
    ) throws(CofferError) -> Reply {
        let payload = try ChannelClient.packed(request)
        let frame = try roundTrip(method) { link, payload in
            link.call(method, payload, descriptors: descriptors)
        } pack: { _, _ throws(CofferError) in
            payload
        }
        return try ChannelClient.message(frame)
    }

    /// Calls a method of a store; `request` makes the message for the handle that the service uses at
    /// present.
    func call<Request: WireMessage, Reply: WireMessage>(
        _ method: ChannelMethod, on store: ChannelStore, reply: Reply.Type,
        hook: ChannelLink.ReplyHook? = nil,
        _ request: (_ handle: UInt32, _ isRetry: Bool) -> Request
    ) throws(CofferError) -> Reply {
        let frame = try roundTrip(method, of: store, hook: hook) { handle, isRetry throws(CofferError) in
            try ChannelClient.packed(request(handle, isRetry))
        }
        return try ChannelClient.message(frame)
    }

    /// Calls a method of a store.
    func call<Reply: WireMessage>(
        _ method: ChannelMethod, _ request: some StoreRequest, of store: ChannelStore, reply: Reply.Type,
        cancellation: CallCancellation? = nil
    ) throws(CofferError) -> Reply {
        let frame = try roundTrip(method, of: store, cancellation: cancellation) {
            handle, _ throws(CofferError) in
            try ChannelClient.packed(request.naming(handle))
        }
        return try ChannelClient.message(frame)
    }

    /// Calls a method of a store whose reply may come in parts: `receive` is given each but the last, on this
    /// thread.
    ///
    /// If the service was lost meanwhile, or the store's file exchanged, `receive` is given `nil`, and
    /// everything from the beginning.
    func callForParts<Reply: WireMessage>(
        _ method: ChannelMethod, _ request: some StoreRequest, of store: ChannelStore, reply: Reply.Type,
        cancellation: CallCancellation? = nil, receive: (Reply?) throws(CofferError) -> Void
    ) throws(CofferError) -> Reply {
        try ChannelClient.message(
            callForParts(
                method, request, of: store, descriptors: [], cancellation: cancellation, receive: receive))
    }

    /// Calls with descriptors beside the request, and lends each part of the reply to `receive`; returns the
    /// frame with the last part, whose batch may hold other frames too.
    func callForParts<Reply: WireMessage>(
        _ method: ChannelMethod, _ request: some StoreRequest, of store: ChannelStore,
        descriptors: [OwnedDescriptor], cancellation: CallCancellation? = nil,
        receive: (Reply?) throws(CofferError) -> Void
    ) throws(CofferError) -> ReceivedFrame {
        var failure: CofferError?
        let frame = try roundTrip(method, of: store, cancellation: cancellation) { link, payload in
            link.callForParts(
                method, payload: payload, descriptors: descriptors, cancellation: cancellation
            ) { part in
                if failure != nil { return }
                do throws(CofferError) {
                    try receive(try ChannelClient.message(part))
                } catch {
                    failure = error
                }
            }
        } pack: { handle, isRetry throws(CofferError) in
            if isRetry { try receive(nil) }
            return try ChannelClient.packed(request.naming(handle))
        }
        if let failure { throw failure }
        return frame
    }

    /// Calls a method that names no store and whose reply may come in parts: `receive` is given each but the
    /// last, on this thread.
    func callForParts<Reply: WireMessage>(
        _ method: ChannelMethod, _ request: some WireMessage, cancellation: CallCancellation? = nil,
        receive: (Reply) -> Void
    ) throws(CofferError) -> Reply {
        let payload = try ChannelClient.packed(request)
        var failure: CofferError?
        let frame = try roundTrip(method, cancellation: cancellation) { link, payload in
            link.callForParts(method, payload: payload, descriptors: [], cancellation: cancellation) { part in
                do throws(CofferError) {
                    receive(try ChannelClient.message(part))
                } catch {
                    failure = failure ?? error
                }
            }
        } pack: { _, _ throws(CofferError) in
            payload
        }
        if let failure { throw failure }
        return try ChannelClient.message(frame)
    }

    private func roundTrip(
        _ method: ChannelMethod, of store: ChannelStore? = nil, timeout: Duration? = nil,
        hook: ChannelLink.ReplyHook? = nil, cancellation: CallCancellation? = nil,
        _ pack: (_ handle: UInt32, _ isRetry: Bool) throws(CofferError) -> [UInt8]
    ) throws(CofferError) -> ReceivedFrame {
        try roundTrip(
            method, of: store, timeout: timeout, cancellation: cancellation,
            call: { $0.call(method, $1, timeout: timeout, hook: hook, cancellation: cancellation) },
            pack: pack)
    }

    /// Sends a call, again if need be, and gives the frame that answers it.
    ///
    /// `pack` is given what the service calls the store at present, 0 without one.
    private func roundTrip(
        _ method: ChannelMethod, of store: ChannelStore? = nil, timeout: Duration? = nil,
        cancellation: CallCancellation? = nil,
        call: (ChannelLink, _ payload: [UInt8]) -> ChannelLink.Outcome,
        pack: (_ handle: UInt32, _ isRetry: Bool) throws(CofferError) -> [UInt8]
    ) throws(CofferError) -> ReceivedFrame {
        var (isRetry, wasLost) = (false, false)
        var losses = 0
        while true {
            if cancellation?.isCancelled ?? false { throw CofferError.cancelled }
            let link = try currentLink()
            var handle: UInt32 = 0
            let outcome: ChannelLink.Outcome
            do throws(CofferError) {
                if let store { handle = try ensureOpen(store, on: link) }
                outcome = call(link, try pack(handle, isRetry))
            } catch {
                // If a store had to be opened on the link first, the link may have been lost in doing so.
                guard let failure = link.failure else {
                    if error.isOfExchange, let store { awaitNews(of: store) }
                    throw wasLost && error.isOfExchange && method == .save ? ChannelClient.lostSave : error
                }
                outcome = .lost(failure, wasSent: false)
            }
            switch outcome {
            case .reply(let frame):
                if frame.header.status == .ok { return frame }
                let error = CofferError(detail: frame.payload.copied, status: frame.header.status)
                guard error.isOfExchange, let store, knowsExchange(of: store, handle, on: link) else {
                    throw error
                }
                isRetry = true
            case .timedOut: throw ChannelClient.timedOut(method, timeout)
            case .unsendable(let text): throw ChannelClient.unsendable(text)
            case .lost(let failure, let wasSent):
                linkWasLost(link)
                if wasSent, !method.mayBeSentAgain { throw ChannelClient.unknown(method, failure) }
                isRetry = isRetry || wasSent
                wasLost = wasLost || wasSent
                losses += 1
                if losses > Limits.resends { throw ChannelClient.lost(method, failure, times: losses) }
            }
        }
    }

    static func packed(_ message: some WireMessage) throws(CofferError) -> [UInt8] {
        do throws(WireError) { return try message.packed() } catch { throw CofferError(error) }
    }

    static func message<Message: WireMessage>(_ frame: ReceivedFrame) throws(CofferError) -> Message {
        do throws(WireError) { return try frame.payload.message(Message.self) } catch {
            throw CofferError(error)
        }
    }

    private static func timedOut(_ method: ChannelMethod, _ timeout: Duration?) -> CofferError {
        .refused(
            code: StatusCode.deadlineExceeded.name, reason: "timeout",
            text: "The service did not answer \(method.rpcName) within \(timeout ?? .zero).", place: "")
    }

    static func unsendable(_ text: String) -> CofferError {
        .refused(code: StatusCode.resourceExhausted.name, reason: "memory", text: text, place: "")
    }

    private static func unknown(_ method: ChannelMethod, _ failure: LinkFailure) -> CofferError {
        .unavailable(
            "The service was lost while it answered \(method.rpcName) (\(failure)). Whether it was done is not known: look before you do it again."
        )
    }

    /// A save that may be in the file that another one has taken the place of.
    private static var lostSave: CofferError {
        .unavailable(
            "The service was lost while it saved, and the file was exchanged before it came back. Whether it was saved before is not known: look before you do it again."
        )
    }

    private static func lost(_ method: ChannelMethod, _ failure: LinkFailure, times: Int) -> CofferError {
        if case .violation(let text) = failure { return .protocolViolation(text) }
        return .unavailable(
            "The service was lost \(times) times while it answered \(method.rpcName) (\(failure)): see its log."
        )
    }
}

extension ChannelClient {
    /// The id of the next save.
    func beginRequest() -> RequestIDMessage {
        let (sequence, acknowledged) = self.sequence.withLock { $0.begin() }
        return RequestIDMessage(client: identity.client, sequence: sequence, acknowledged: acknowledged)
    }

    /// A save is answered, or its answer will not be asked for again.
    func endRequest(_ sequence: UInt64) { self.sequence.withLock { $0.end(sequence) } }

    /// Tells `listener` of the connection from now on; what is given back ends it.
    func addListener(_ listener: @escaping ConnectionListener) -> UInt32 {
        let key = stores.withLock { table in
            table.lastHandle += 1
            return table.lastHandle
        }
        listeners.withLock { $0[key] = listener }
        return key
    }

    /// Stops telling the listener anything.
    func removeListener(_ key: UInt32) { listeners.withLock { _ = $0.removeValue(forKey: key) } }

    /// Tells all listeners of the connection.
    func notifyListeners(_ event: CoordinatorEvent) {
        for (_, listener) in listeners.withLock({ $0 }).sorted(by: { $0.key < $1.key }) { listener(event) }
    }
}
