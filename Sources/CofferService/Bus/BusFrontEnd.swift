import CofferDBus
import CofferLinux
import CofferStores
import CofferWire
import FoundationEssentials
import Logging
import Synchronization

/// The control plane: takes calls from the bus and hands them to the workers.
///
/// Shared. Handlers run on the connection's thread and never block; what may block runs on a worker.
final class BusFrontEnd: Sendable {
    private struct State {
        var callers: [String: CallerRecord] = [:]
        var sessions: [String: BusSession] = [:]
        /// The callers that asked for the objects, and so are told of those that come and go.
        var objectWatchers: [String: BusCaller] = [:]
        /// What of each sender waits for a worker.
        var queued: [String: CallQuota] = [:]
        /// How the bus tells of the end of each caller.
        var matches = NameWatch(limit: Limits.watchedCallers)
        /// Callers whose end the bus would not tell of, and why.
        var unwatched: [String: DBusError] = [:]
    }

    private let state = Mutex(State())
    private let credentialLookups = CredentialLookups()
    private let service: Service
    let connection: DBusConnection

    init(service: Service, connection: DBusConnection) {
        self.service = service
        self.connection = connection
    }

    /// The callers that asked for the objects.
    var objectWatchers: [BusCaller] { state.withLock { Array($0.objectWatchers.values) } }

    private var core: ServiceCore { service.core }
    private var logger: Logger { service.core.logger }
}

// MARK: On the connection's thread

extension BusFrontEnd {
    /// Takes a call; asks the bus first for its caller's credentials, if they are not known yet.
    func take(_ call: DBusMessage, from bus: DBusBus) {
        guard let sender = call.sender else { return }
        do throws(ServiceError) {
            try state.withLock { state throws(ServiceError) in
                try state.queued[sender, default: CallQuota()].add(call.heldByteCount)
            }
        } catch {
            return refuse(call, error, over: bus)
        }
        if let known = state.withLock({ $0.callers[sender] }) {
            return dispatch(call, from: sender, caller: known, over: bus)
        }
        guard credentialLookups.add(call, of: sender) else { return }  // Somebody asked already.
        service.core.lifecycle.beginUse()  // Until the calls are handed on.
        watch(sender, over: bus)
        bus.ask(.credentials(of: sender)) { [self] result in
            // The bus answers in the order of the questions.
            let refusal = state.withLock { $0.unwatched.removeValue(forKey: sender) }
            let result = (refusal.map { .failure($0) } ?? result).map { credentials in
                let share = core.shares.share(of: credentials.identity(sandbox: nil))
                return CallerRecord(credentials: credentials, share: share, sandbox: .unknown)
            }
            if case .success(let caller) = result {
                state.withLock { $0.callers[sender] = caller }
            } else if refusal == nil {
                unwatch(sender, over: bus)
            }
            credentialLookups.end(sender) { resolve($0, from: sender, with: result, over: bus) }
            service.core.lifecycle.endUse()
        }
    }

    /// Waits until workers have all calls that came before our name went, or the bus does not answer.
    ///
    /// Not for the connection's own thread.
    func takeLastCalls() {
        let hasAll = ConditionLock(false)
        // What was sent to the name before the bus answers this is here by then.
        connection.ask(.ping) { _ in
            hasAll.withLock { $0 = true }
            hasAll.broadcast()
        }
        _ = hasAll.wait(timeout: Limits.lastCalls) { $0 ? () : nil }
        credentialLookups.waitUntilNone(timeout: Limits.lastCalls)
    }

    /// Hears of a name that came or went.
    func nameOwnerChanged(_ name: String, new owner: String, over bus: DBusBus) {
        guard owner.isEmpty, name.hasPrefix(":") else { return }
        core.stores.handshakes.nameIsGone(name)
        let session = state.withLock { state in
            state.callers[name] = nil
            state.objectWatchers[name] = nil
            return state.sessions.removeValue(forKey: name)
        }
        if let session {
            // All workers may be at what it asked for, and the end of that is not to wait for one of them.
            session.session.clientIsGone()
            core.reactor.run { [core] in core.end(session.session) }
        }
        unwatch(name, over: bus)
    }

    /// A worker has carried the call out, or none will.
    private func leaveQueue(_ call: DBusMessage, _ sender: String) {
        state.withLock { state in
            state.queued[sender]?.remove(call.heldByteCount)
            if state.queued[sender]?.isEmpty ?? false { state.queued[sender] = nil }
        }
    }

    private func refuse(_ call: DBusMessage, _ error: ServiceError, over bus: DBusBus) {
        let detail = error.detail
        bus.refuse(call, name: detail.busErrorName, message: detail.text)
    }

    private func watch(_ sender: String, over bus: DBusBus) {
        guard let match = state.withLock({ $0.matches.add(sender) }) else { return }
        bus.ask(.addMatch(match)) { [self, logger] result in
            if case .failure(let error) = result {
                logger.warning(
                    "A caller cannot be watched", metadata: ["name": "\(sender)", "error": "\(error)"])
                // Nothing would tell when the caller goes: the caller is refused, and may try again. So are
                // callers that rely on the same rule and whose credentials the bus has not sent yet, since
                // the bus answers in the order of the questions.
                state.withLock { state in
                    for name in state.matches.refused(match, for: sender) { state.unwatched[name] = error }
                }
            }
        }
    }

    private func unwatch(_ name: String, over bus: DBusBus) {
        guard let match = state.withLock({ $0.matches.remove(name) }) else { return }
        bus.ask(.removeMatch(match)) { _ in }  // The name is gone either way.
    }

    private func resolve(
        _ call: DBusMessage, from sender: String, with result: Result<CallerRecord, DBusError>,
        over bus: DBusBus
    ) {
        switch result {
        case .success(let caller): dispatch(call, from: sender, caller: caller, over: bus)
        case .failure(let error):
            leaveQueue(call, sender)
            bus.refuse(
                call, name: DBusErrorName.accessDenied,
                message: "The bus does not say who you are, or when you go: \(error)")
        }
    }

    private func dispatch(_ call: DBusMessage, from sender: String, caller: CallerRecord, over bus: DBusBus) {
        do throws(ServiceError) { try enqueue(call, from: sender, caller: caller) } catch {
            leaveQueue(call, sender)
            return refuse(call, error, over: bus)
        }
    }

    /// Lets a call wait for a worker.
    private func enqueue(
        _ call: DBusMessage, from sender: String, caller: CallerRecord
    ) throws(ServiceError) {
        let byteCount = call.heldByteCount
        try caller.share.enqueue(byteCount)
        core.lifecycle.beginUse()
        core.reactor.run(for: caller.share) { [self] in
            begin(call, from: sender, caller: caller)
            caller.share.dequeue(byteCount)
            core.lifecycle.endUse()
        }
    }
}

// MARK: On a worker

extension BusFrontEnd {
    /// Carries a call out, or queues it again if the first look at its caller shows that it belongs to
    /// another share.
    private func begin(_ call: DBusMessage, from sender: String, caller: CallerRecord) {
        do {
            let known = try identified(caller, sender)
            if known.share !== caller.share { return try enqueue(call, from: sender, caller: known) }
            handle(call, from: sender, known: known)
        } catch {
            refuse(call, error)
        }
        leaveQueue(call, sender)
    }

    /// The caller's record, with the sandbox and application looked up if that was not done before.
    private func identified(_ caller: CallerRecord, _ sender: String) throws(ServiceError) -> CallerRecord {
        guard case .unknown = caller.sandbox else { return caller }
        if let known = known(sender) { return known }
        let application = try service.sandbox(of: caller.credentials)
        let isOther = application != nil && !core.places.isSystem
        let identity = caller.credentials.identity(sandbox: application)
        let found = CallerRecord(
            credentials: caller.credentials, share: isOther ? core.shares.share(of: identity) : caller.share,
            sandbox: application.map { .application($0) } ?? .none)
        return state.withLock { state in
            // A name that went meanwhile belongs to no caller any more; and another worker may have looked
            // at the same time.
            guard let current = state.callers[sender], case .unknown = current.sandbox else {
                return state.callers[sender] ?? found
            }
            state.callers[sender] = found
            return found
        }
    }

    /// What was found of a caller already.
    private func known(_ sender: String) -> CallerRecord? {
        guard let current = state.withLock({ $0.callers[sender] }) else { return nil }
        if case .unknown = current.sandbox { return nil }
        return current
    }

    private func handle(_ call: DBusMessage, from sender: String, known: CallerRecord) {
        if call.path == BusNames.path, call.interface == nil || call.interface == BusNames.name {
            if call.member == "OpenChannel" { return openChannel(call, from: sender, known: known) }
            if let rpc = RPCTable.rpc(named: call.member ?? "") {
                return handle(call, rpc: rpc, from: sender, known: known)
            }
        }
        do {
            let credentials = known.credentials
            let caller = BusCaller(
                busName: sender, userID: credentials.uid, processID: credentials.processID,
                sandbox: known.application, isSystem: core.places.isSystem)
            if call.member == "GetManagedObjects" { watchObjects(caller) }
            let body = try StandardCalls(tree: BusTree(service: service, caller: caller)).answer(call)
            try connection.reply(to: call, body: body)
        } catch {
            refuse(call, error)
        }
    }

    /// Tells a caller of objects from now on, before it is told which there are.
    private func watchObjects(_ caller: BusCaller) {
        state.withLock { state in
            // A name that went meanwhile is not told of again.
            if state.callers[caller.busName] != nil { state.objectWatchers[caller.busName] = caller }
        }
    }

    private func handle(_ call: DBusMessage, rpc: RPC, from sender: String, known: CallerRecord) {
        do {
            let (payload, descriptors) = try Self.arguments(of: call)
            let bytes = try Self.payload(payload, descriptors)
            let session = try session(sender, known, hello: rpc.method == .hello ? bytes : nil)
            if state.withLock({ $0.queued[sender]?.isSingle ?? true }) { session.noteCall() }
            let address = ReplyAddress.bus(session, try session.began(call, bytes))
            let context = CallContext(
                service: core, session: session.session, sink: session, address: address,
                interest: CallCancellation(session.session, timeout: core.busCallTimeout),
                requestByteCount: bytes.byteCount,
                descriptors: rpc.wanted(of: descriptors))
            switch answer(rpc, in: context, request: bytes) {
            case .answered(let result): address.send(result)
            case .deferred(_, let run): run({}, { known.share.isAwaited })
            case .pending: break
            }
        } catch {
            refuse(call, error)
        }
    }

    private func answer(_ rpc: RPC, in context: CallContext, request bytes: RequestPayload) -> CallOutcome {
        do {
            try context.session.callBegan()
            return try rpc.handle(context, bytes)
        } catch {
            return .answered(core.failure(of: error))
        }
    }

    /// `ay ah`: the request, and what comes with it.
    private static func arguments(of call: DBusMessage) throws -> ([UInt8], [OwnedDescriptor]) {
        guard call.signature == "ayah" else {
            throw BusCallError.wrongSignature(expected: "ayah", found: call.signature)
        }
        return (try call.argument(0, \.bytesValue), try call.argument(1, \.descriptorValues))
    }

    /// A large request comes as one sealed memory beside empty bytes.
    private static func payload(_ bytes: [UInt8], _ descriptors: [OwnedDescriptor]) throws -> RequestPayload {
        guard bytes.isEmpty, let memory = descriptors.first else { return .bytes(bytes) }
        let byteCount = try memory.facts().byteCount
        guard byteCount <= CofferWire.Limits.message else {
            throw ServiceError.wire(
                .tooLarge(what: "a request", byteCount: byteCount, limit: CofferWire.Limits.message))
        }
        return try .sealed(memory, byteCount: byteCount)
    }

    /// The session of a name on the bus: begun by Hello.
    private func session(
        _ sender: String, _ known: CallerRecord, hello: RequestPayload?
    ) throws -> BusSession {
        let open = state.withLock { state in
            // After an administrator has disconnected a session, a new one is begun.
            if state.sessions[sender]?.session.isClosed ?? false { state.sessions[sender] = nil }
            return state.sessions[sender]
        }
        if let open { return open }
        guard let hello else {
            throw ServiceError.protocolMismatch("The first call is Hello, which names the application.")
        }
        let greeting = try HelloRequestMessage(packed: hello)
        // What is refused leaves no session behind.
        try greeting.requireProtocol()
        let caller = try caller(named: sender, known: known, hello: greeting)
        let session = BusSession(
            session: core.beginSession(caller, share: known.share), connection: connection)
        let existing = state.withLock { state in
            if let existing = state.sessions[sender] { return existing }
            state.sessions[sender] = session
            return session
        }
        if existing !== session { core.end(session.session) }
        // The name may have gone before its session was known; then nothing told us.
        if state.withLock({ $0.callers[sender] == nil }) {
            _ = state.withLock { $0.sessions.removeValue(forKey: sender) }
            core.end(session.session)
        }
        return existing
    }

    private func openChannel(_ call: DBusMessage, from sender: String, known: CallerRecord) {
        do {
            guard call.signature == "ay" else {
                throw BusCallError.wrongSignature(expected: "ay", found: call.signature)
            }
            let hello = try HelloRequestMessage(packed: call.argument(0, \.bytesValue))
            try hello.requireProtocol()
            let caller = try caller(named: sender, known: known, hello: hello)
            let channel = try core.openChannel(for: caller, share: known.share)
            try connection.reply(
                to: call, body: [.bytes(try core.greeting(for: caller).packed()), .unixFD(channel)])
        } catch {
            refuse(call, error)
        }
    }

    /// The caller; its application is that of the sandbox, if there is one.
    private func caller(
        named sender: String, known: CallerRecord, hello: HelloRequestMessage
    ) throws -> Caller {
        let caller = Caller(
            userID: known.credentials.uid, processID: known.credentials.processID, busName: sender,
            application: known.application ?? hello.application, isSandboxed: known.application != nil,
            client: hello.client, processName: String(hello.processName.prefix(Limits.text)).withoutNUL)
        // Checked as for a store's key, so that a wrong name is told at once.
        _ = try StoreKey(userID: caller.userID, application: caller.application, configuration: "", name: "x")
        return caller
    }

    private func refuse(_ call: DBusMessage, _ error: any Error) {
        let (name, text) = BusFrontEnd.describe(error)
        do throws(DBusError) {
            try connection.replyError(to: call, name: name, message: text.forBus)
        } catch {
            logger.debug("A caller is gone", metadata: ["error": "\(error)"])
        }
    }

    private static func describe(_ error: any Error) -> (name: String, text: String) {
        switch error {
        case let fault as BusFault: return (fault.name, fault.description)
        case let error as BusCallError: return (DBusErrorName.invalidArgs, error.description)
        case let error as DBusError: return (DBusErrorName.invalidArgs, "\(error)")
        default:
            let detail = ServiceError(error).detail
            return (detail.busErrorName, detail.text)
        }
    }
}
