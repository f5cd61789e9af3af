import Coffer
import CofferLinux
import CofferModel
import CofferWire
import FoundationEssentials
import Synchronization
import TestSupport

/// Stands in for the service: hands out channels, and answers on a thread each as a test's script says.
final class FakeService: ChannelConnector {
    /// Answers a call; `false` leaves it to the usual answer.
    typealias Script = @Sendable (FakeChannel, FrameHeader, [UInt8]) throws -> Bool

    struct State {
        var channels: [FakeChannel] = []
        var refusal: ConnectionFailure?
        var connectCount = 0
        var calls: [ChannelMethod: Int] = [:]
        var number: UInt64 = 0
        var transactions: [TransactionMessage] = []
        var floor: UInt64 = 0
        var storeUUID = UUID()
        var knowsModel = true
        var handle: UInt32 = 0
    }

    let state = Mutex(State())
    /// What clients answered to calls of the service.
    let replies = ConditionLock<[FrameHeader]>([])
    private let script: Script

    init(_ script: @escaping Script = { _, _, _ in false }) { self.script = script }

    func connect(_ hello: HelloRequestMessage) throws(ConnectionFailure) -> OwnedDescriptor {
        let refusal = state.withLock { state in
            state.connectCount += 1
            return state.refusal
        }
        if let refusal { throw refusal }
        do throws(LinuxError) {
            let (ours, theirs) = try SocketPair.make()
            let channel = FakeChannel(Socket(ours))
            _ = try WorkerThread(name: "fake-service") { [self] in
                channel.serve { header, payload in try answer(channel, header, payload) }
            }
            state.withLock { $0.channels.append(channel) }
            return theirs
        } catch {
            throw ConnectionFailure(.unavailable("\(error)"), isTransient: false)
        }
    }

    /// The channel made last.
    var channel: FakeChannel? { state.withLock { $0.channels.last } }

    /// How often a method was called.
    func callCount(_ method: ChannelMethod) -> Int { state.withLock { $0.calls[method] ?? 0 } }

    /// Commits a transaction of another client, and announces it unless `isSilent`.
    func commit(_ changes: [ChangeGroup] = [], isSilent: Bool = false, on channel: FakeChannel? = nil) throws
    {
        let (number, handle) = state.withLock { state in
            state.number += 1
            state.transactions.append(
                TransactionMessage(number: state.number, timestamp: 0, changes: changes))
            return (state.number, state.handle)
        }
        if isSilent { return }
        let push = PushMessage(
            kind: .didSave, store: handle, number: number, previous: number - 1,
            transaction: TransactionMessage(number: number, timestamp: 0, changes: changes))
        try (channel ?? self.channel)?.push(push)
    }

    private func answer(_ channel: FakeChannel, _ header: FrameHeader, _ payload: [UInt8]) throws {
        if header.kind == .reply {
            replies.withLock { $0.append(header) }
            replies.broadcast()
        }
        guard header.kind == .call, let method = header.method else { return }
        state.withLock { $0.calls[method, default: 0] += 1 }
        if try script(channel, header, payload) { return }
        switch method {
        case .hello:
            let reply = HelloReplyMessage(
                serviceVersion: "test", application: "org.example.Test", service: UUID(),
                frameLimit: 64 << 20,
                sharesMemory: channel.sharesMemory)
            try channel.reply(to: header, reply)
        case .openStore: try channel.reply(to: header, openStore())
        case .registerModel:
            state.withLock { $0.knowsModel = true }
            try channel.reply(to: header, RegisterModelReplyMessage(modelID: Array(repeating: 0, count: 32)))
        case .history: try channel.reply(to: header, history(HistoryRequestMessage(packed: payload)))
        case .fetch:
            let reply = FetchReplyMessage(number: state.withLock { $0.number }, count: 1, rows: nil)
            try channel.reply(to: header, reply)
        case .save: try channel.reply(to: header, save())
        default: try channel.reply(to: header, EmptyMessage())
        }
    }

    private func openStore() -> OpenStoreReplyMessage {
        state.withLock { state in
            if !state.knowsModel { return .needModel }
            state.handle += 1
            return .opened(
                StoreOpenedMessage(
                    store: state.handle, uuid: state.storeUUID, number: state.number, floor: state.floor,
                    path: "",
                    modelID: Array(repeating: 0, count: 32), isCreated: false))
        }
    }

    private func history(_ request: HistoryRequestMessage) -> HistoryReplyMessage {
        state.withLock { state in
            if request.after < state.floor || request.storeUUID != state.storeUUID {
                return .expired(
                    floor: state.floor, current: state.number,
                    isOtherStore: request.storeUUID != state.storeUUID)
            }
            let found = state.transactions.filter { $0.number > request.after }
            return .transactions(found, number: state.number, hasMore: false)
        }
    }

    /// Commits a save and gives its outcome.
    func save() -> SaveReplyMessage {
        state.withLock { state in
            state.number += 1
            state.transactions.append(TransactionMessage(number: state.number, timestamp: 0))
            return .saved(SavedMessage(number: state.number))
        }
    }
}

/// The service's end of one channel.
final class FakeChannel: Sendable {
    private let stream: StreamEnd
    private let sending = Mutex<Void>(())
    private let handsOver = Atomic(false)

    init(_ socket: Socket) { stream = StreamEnd(socket) }

    /// Whether the client's Hello brought memory, which is used from then on.
    var sharesMemory: Bool { handsOver.load(ordering: .relaxed) }

    /// Answers a call.
    func reply(to call: FrameHeader, _ message: some WireMessage) throws {
        try reply(to: call, bytes: message.packed())
    }

    /// Answers a call with packed bytes.
    func reply(to call: FrameHeader, bytes: [UInt8], status: StatusCode = .ok) throws {
        let header = FrameHeader(
            kind: .reply, callID: call.callID, payloadByteCount: bytes.count, status: status)
        try send(header, bytes)
    }

    /// Answers a call with sealed memory.
    func reply(to call: FrameHeader, memory bytes: [UInt8]) throws {
        let header = FrameHeader(
            kind: .reply, callID: call.callID, payloadByteCount: bytes.count, flags: .sealedMemory,
            descriptorCount: 1)
        try send(header, [], [Memfd.sealed(bytes)])
    }

    /// Asks the client.
    func call(_ method: UInt16, id: UInt64, _ message: some WireMessage) throws {
        let bytes = try message.packed()
        var header = FrameHeader(kind: .call, callID: id, payloadByteCount: bytes.count)
        header.methodNumber = method
        try send(header, bytes)
    }

    /// Announces something.
    func push(_ message: PushMessage) throws {
        let bytes = try message.packed()
        try send(FrameHeader(kind: .push, payloadByteCount: bytes.count), bytes)
    }

    /// Sends bytes as they are.
    func sendRaw(_ bytes: [UInt8]) throws { try sending.withLock { _ in _ = try stream.sendAll([bytes]) } }

    /// Hangs up.
    func close() { stream.shutDown() }

    private func send(_ header: FrameHeader, _ payload: [UInt8], _ descriptors: [OwnedDescriptor] = []) throws
    {
        try sending.withLock { _ in
            _ = try stream.sendAll([header.bytes, payload], descriptors: descriptors)
        }
    }

    /// Answers calls until the other end hangs up, or `answer` fails.
    func serve(_ answer: (FrameHeader, [UInt8]) throws -> Void) {
        var input = StreamInput()
        var spin = SpinPolicy()
        do {
            while try receive(&input, &spin) {
                while let header = try FakeChannel.header(input.buffer),
                    input.buffer.count >= FrameHeader.byteCount + header.streamedByteCount
                {
                    _ = input.buffer.skip(FrameHeader.byteCount)
                    let payload = input.buffer.take(header.streamedByteCount) ?? []
                    let memory = input.buffer.takeDescriptors(header.descriptorCount)?.first
                    if header.method == .hello, let memory {
                        handsOver.store(try stream.adopt(SharedFrameMemory.map(memory)), ordering: .relaxed)
                    }
                    guard header.flags.contains(.sealedMemory), let memory else {
                        try answer(header, payload)
                        continue
                    }
                    try answer(
                        header,
                        SealedMemory.map(memory, expectedByteCount: header.payloadByteCount).copyBytes())
                }
            }
        } catch {
            // A script hangs up by throwing.
        }
        close()
    }

    private func receive(_ input: inout StreamInput, _ spin: inout SpinPolicy) throws -> Bool {
        var result = try input.receive(from: stream, spinning: &spin)
        if result == .wouldBlock { result = try input.receive(from: stream, until: nil) }
        return result != .closed
    }

    private static func header(_ buffer: borrowing ReceiveBuffer) throws -> FrameHeader? {
        guard buffer.count >= FrameHeader.byteCount else { return nil }
        return try buffer.withBytes { bytes throws(WireError) in try FrameHeader(bytes) }
    }
}

/// Makes a script hang up.
struct HangUp: Error {}

extension FakeService {
    /// A client of this service.
    func client(reconnection: Duration? = nil) throws -> ChannelClient {
        try ChannelClient(
            identity: .init(application: "org.example.Test", processName: "tests"), connector: self,
            reconnection: reconnection)
    }

    /// A coordinator with one store open in this service.
    func coordinator(
        reconnection: Duration? = nil, watches: Bool = true
    ) throws -> (RemoteCoordinator, Observer) {
        let coordinator = try RemoteCoordinator(
            model: Self.model(), client: client(reconnection: reconnection))
        try coordinator.addStore(
            OpenStoreRequestMessage(name: StoreNameMessage(name: "Notes"), modelID: [], watch: watches))
        let observer = Observer()
        coordinator.addObserver(observer)
        return (coordinator, observer)
    }

    static func model() throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [
            EntityDefinition("Note", attributes: [AttributeDefinition("title", .string, isOptional: true)])
        ])
    }
}

/// Keeps what a coordinator tells.
final class Observer: CoordinatorObserver {
    private let events = ConditionLock<[String]>([])
    // In a structure: a bare closure in a lock is wrapped once more by each access.
    private struct Hook: Sendable {
        var body: (@Sendable () -> Void)?
    }

    private let hook = Mutex(Hook())

    /// Called with each event before it is kept.
    func slow(_ body: @escaping @Sendable () -> Void) { hook.withLock { $0.body = body } }

    func coordinator(_ coordinator: any PersistentStoreCoordinator, didReport event: CoordinatorEvent) {
        hook.withLock({ $0 }).body?()
        let text =
            switch event {
            case .transaction(let transaction, _, let origin):
                "\(transaction.number)\(origin == nil ? "" : " own")"
            case .reload(_, let number): "reload \(number)"
            case .bookmark(_, let number): "bookmark \(number)"
            case .disconnected: "disconnected"
            case .reconnected: "reconnected"
            case .storesWillChange: "stores will change"
            case .storesDidChange(let isRemoved, _, _):
                isRemoved ? "stores were removed" : "stores did change"
            case .storeDidReturn: "store did return"
            }
        events.withLock { $0.append(text) }
        events.broadcast()
    }

    /// What was told so far.
    var all: [String] { events.withLock { $0 } }

    /// What was told up to and with `event`; all if that takes too long.
    func until(_ event: String) -> [String] {
        events.wait(timeout: .seconds(60)) { $0.contains(event) ? $0 : nil } ?? all
    }

    /// What was told, once it is so much; fewer if that takes too long.
    func first(_ count: Int) -> [String] {
        events.wait(timeout: .seconds(60)) { $0.count >= count ? $0 : nil } ?? all
    }
}
