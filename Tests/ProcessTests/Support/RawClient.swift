import CofferDBus
import CofferLinux
import CofferService
import CofferWire
import FoundationEssentials
import TestSupport

/// What the service answered instead of a reply.
struct Refusal: Error, Equatable, CustomStringConvertible {
    let code: StatusCode
    let reason: String
    let text: String

    init(_ detail: ErrorDetailMessage) {
        (code, reason, text) = (detail.code, detail.reason, detail.text)
    }

    var description: String { "\(code) \(reason): \(text)" }
}

/// A client of the channel that says what it is told to, sense or nonsense.
///
/// Confined.
final class RawClient {
    /// Why nothing came of a wait.
    enum Failure: Error, Equatable {
        case closed
        case nothingCame
    }

    /// The frame that answers a call, with what came beside it.
    struct Answer {
        let header: FrameHeader
        let payload: [UInt8]
    }

    let id = UUID()
    let stream: StreamEnd
    /// Pushes that came and were not taken.
    private(set) var pushes: [PushMessage] = []
    private(set) var answers: [UInt64: Answer] = [:]
    /// Parts of answers that came and were not taken.
    private var items: [UInt64: [Answer]] = [:]
    private var input = StreamInput()
    // It spins if there is memory to look at, since that is what it is there for.
    private var spin = SpinPolicy(processorCount: 2)
    private var nextCall: UInt64 = 1
    private var nextSave: UInt64 = 1
    /// How long to wait for anything.
    var patience = Duration.seconds(60)

    /// Opens a channel over `bus`, and says Hello unless told not to.
    init(bus: DBusClient, application: String, saysHello: Bool = true) throws {
        let hello = HelloRequestMessage(application: application, client: id, processName: "ProcessTests")
        do {
            let reply = try bus.call(
                BusNames.name, path: BusNames.path, interface: BusNames.name, member: "OpenChannel",
                body: [.bytes(try hello.packed())])
            stream = StreamEnd(Socket(try reply.argument(1, \.descriptorValue)))
        } catch let DBusError.remote(name, text) {
            guard let detail = ErrorDetailMessage(busErrorName: name, text: text) else {
                throw DBusError.remote(name: name, message: text)
            }
            throw Refusal(detail)
        }
        if saysHello { let _: HelloReplyMessage = try call(.hello, hello) }
    }

    /// The service's end is there.
    var socket: Socket { stream.socket }

    /// Bytes that came, and those of them that came through the socket.
    private(set) var received = 0
    var receivedThroughSocket: Int { Int(input.received) }
}

// MARK: Speaking

extension RawClient {
    /// Sends bytes, whatever they mean.
    func send(_ bytes: [UInt8], descriptors: [OwnedDescriptor] = []) throws {
        guard case .sent = try stream.sendAll([bytes], descriptors: descriptors, timeout: patience) else {
            throw Failure.closed
        }
    }

    /// The frame of a call with a new number.
    func frame(_ method: ChannelMethod, _ payload: [UInt8]) -> (id: UInt64, bytes: [UInt8]) {
        let header = FrameHeader(
            kind: .call, method: method, callID: nextCall, payloadByteCount: payload.count)
        nextCall += 2
        return (header.callID, header.bytes + payload)
    }

    /// Sends a call and does not wait.
    func start(_ method: ChannelMethod, _ payload: [UInt8]) throws -> UInt64 {
        let (id, bytes) = frame(method, payload)
        try send(bytes)
        return id
    }

    /// Sends a call with descriptors, and does not wait.
    func start(
        _ method: ChannelMethod, _ payload: [UInt8], descriptors: [OwnedDescriptor],
        flags: FrameHeader.Flags = [], byteCount: Int? = nil
    ) throws -> UInt64 {
        let header = FrameHeader(
            kind: .call, method: method, callID: nextCall, payloadByteCount: byteCount ?? payload.count,
            flags: flags, descriptorCount: descriptors.count)
        nextCall += 2
        try send(header.bytes + payload, descriptors: descriptors)
        return header.callID
    }

    /// Calls and waits for the reply.
    func call<Reply: WireMessage>(_ method: ChannelMethod, _ message: some WireMessage) throws -> Reply {
        try Reply(packed: try reply(to: start(method, message.packed())))
    }

    /// Calls with bytes that may not be a message.
    func call(_ method: ChannelMethod, bytes: [UInt8]) throws -> [UInt8] {
        try reply(to: start(method, bytes))
    }

    /// Says Hello with shared memory.
    func greet(_ memory: OwnedDescriptor) throws -> HelloReplyMessage {
        let hello = HelloRequestMessage(
            application: "org.coffer.Tests", client: id, processName: "ProcessTests")
        return try HelloReplyMessage(
            packed: reply(to: start(.hello, hello.packed(), descriptors: [memory])))
    }

    /// A number for a save.
    func requestID() -> RequestIDMessage {
        defer { nextSave += 1 }
        return RequestIDMessage(client: id, sequence: nextSave, acknowledged: nextSave - 1)
    }
}

// MARK: Listening

extension RawClient {
    /// The reply of a call.
    ///
    /// - Throws: `Refusal` if the service refused it.
    func reply(to call: UInt64) throws -> [UInt8] {
        while answers[call] == nil { try receive() }
        guard let answer = answers.removeValue(forKey: call) else { throw Failure.nothingCame }
        if answer.header.status == .ok { return answer.payload }
        throw Refusal(try ErrorDetailMessage(packed: answer.payload))
    }

    /// The next part of an answer, or its end.
    func nextFrame(of call: UInt64) throws -> Answer {
        while true {
            if items[call]?.isEmpty == false, let item = items[call]?.removeFirst() { return item }
            if let last = answers.removeValue(forKey: call) { return last }
            try receive()
        }
    }

    /// The next call of the service's.
    func waitForCall() throws -> Answer {
        while true {
            if let id = answers.first(where: { $0.value.header.kind == .call })?.key,
                let call = answers.removeValue(forKey: id)
            {
                return call
            }
            try receive()
        }
    }

    /// The next push.
    func nextPush() throws -> PushMessage {
        while pushes.isEmpty { try receive() }
        return pushes.removeFirst()
    }

    /// Forgets the pushes that came.
    func forgetPushes() { pushes = [] }

    /// Waits until `count` answers are there.
    func waitForAnswers(_ count: Int) throws {
        while answers.count < count { try receive() }
    }

    /// Takes all answers.
    func takeAnswers() -> [UInt64: Answer] {
        defer { answers = [:] }
        return answers
    }

    /// Waits until the service hangs up.
    func waitUntilClosed() throws {
        do {
            while true { try receive() }
        } catch Failure.closed {
            return
        }
    }

    /// Takes the frames that have come, waiting for the first.
    func receive() throws {
        var result = try input.receive(from: stream, spinning: &spin)
        if result == .wouldBlock {
            result = try input.receive(from: stream, until: Monotonic.now + patience.wholeNanoseconds)
        }
        switch result {
        case .closed: throw Failure.closed
        case .wouldBlock: throw Failure.nothingCame
        case .received(let byteCount): received += byteCount
        }
        while let frame = try next() {
            switch frame.header.kind {
            case .push: pushes.append(try PushMessage(packed: frame.payload))
            case .item: items[frame.header.callID, default: []].append(frame)
            default: answers[frame.header.callID] = frame
            }
        }
    }

    private func next() throws -> Answer? {
        guard input.buffer.count >= FrameHeader.byteCount else { return nil }
        let header = try input.buffer.withBytes { bytes throws(WireError) in try FrameHeader(bytes) }
        guard input.buffer.count >= FrameHeader.byteCount + header.streamedByteCount else { return nil }
        _ = input.buffer.skip(FrameHeader.byteCount)
        let payload = input.buffer.take(header.streamedByteCount) ?? []
        let descriptors = input.buffer.takeDescriptors(header.descriptorCount) ?? []
        guard header.flags.contains(.sealedMemory), let memory = descriptors.first else {
            return Answer(header: header, payload: payload)
        }
        let bytes = try SealedMemory.map(memory, expectedByteCount: header.payloadByteCount).copyBytes()
        return Answer(header: header, payload: bytes)
    }
}
