import CofferDBus
import CofferLinux
import CofferWire

/// What a call is answered with.
enum RPCResult: Sendable {
    /// The packed reply, and descriptors that go with it.
    case reply([UInt8], [OwnedDescriptor] = [])
    /// The last part of a reply whose others were sent.
    case end([UInt8])
    /// Why it failed.
    case failure(ErrorDetailMessage)

    /// Whether it says that the call was ended before it was done.
    var isInterruption: Bool {
        if case .failure(let detail) = self { detail.code == .cancelled } else { false }
    }

    /// A packed reply, or the failure if it is too large for a frame.
    static func packing(_ message: some WireMessage) -> RPCResult {
        do throws(WireError) {
            return .reply(try message.packed())
        } catch {
            return .failure(ServiceError.wire(error).detail)
        }
    }

    /// The last part of a reply, packed.
    static func packing(end message: some WireMessage) -> RPCResult {
        if case .reply(let payload, _) = packing(message) { return .end(payload) }
        return packing(message)
    }
}

/// Where the answer of one call goes.
enum ReplyAddress: Sendable {
    /// A call over a channel; whether its caller takes a large reply in parts.
    case channel(ServerChannel, call: ChannelCall, takesItems: Bool = false)
    /// A call over the bus.
    case bus(BusSession, BusCall)

    /// Queues the answer; what is given back sends it.
    func enqueue(_ result: RPCResult) -> (any Flushable)? {
        switch self {
        case .channel(let channel, let call, _):
            channel.enqueue(answer: result, call: call)
            return channel
        case .bus(let session, let call):
            session.answer(call, with: result)
            return nil
        }
    }

    /// Whether `send(part:)` may be used.
    var takesItems: Bool {
        if case .channel(_, _, let takesItems) = self { takesItems } else { false }
    }

    /// Sends a part of a reply now; throws if it cannot be packed or kept.
    func send(part message: some WireMessage) throws(ServiceError) {
        guard case .channel(let channel, let call, _) = self else { return }
        let payload: [UInt8]
        do throws(WireError) { payload = try message.packed() } catch { throw .wire(error) }
        try channel.send(item: payload, call: call.id)
    }

    /// Runs `work` that no client waits for, once the calls that have come are answered; by the handler's
    /// own thread.
    func afterAnswers(_ work: @escaping @Sendable () -> Void) {
        switch self {
        case .channel(let channel, _, _): channel.afterAnswers(work)
        case .bus: work()
        }
    }

    /// Sends the answer now.
    func send(_ result: RPCResult) {
        switch self {
        case .channel(let channel, let call, _): channel.send(answer: result, call: call)
        case .bus(let session, let call): session.answer(call, with: result)
        }
    }
}
