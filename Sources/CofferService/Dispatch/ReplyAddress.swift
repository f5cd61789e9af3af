import CofferDBus
import CofferLinux
import CofferWire

/// What a call is answered with.
enum RPCResult: Sendable {
    /// The packed reply, and descriptors that go with it.
    case reply([UInt8], [OwnedDescriptor] = [])
    /// Why it failed.
    case failure(ErrorDetailMessage)

    /// A reply, packed; or, where it is too large for a frame, that.
    static func packing(_ message: some WireMessage) -> RPCResult {
        do throws(WireError) {
            return .reply(try message.packed())
        } catch {
            return .failure(ServiceError.wire(error).detail)
        }
    }
}

/// Where the answer of one call goes.
enum ReplyAddress: Sendable {
    /// A call over a channel.
    case channel(ServerChannel, call: UInt64)
    /// A call over the bus.
    case bus(BusSession, DBusMessage)

    /// Queues the answer; what is given back sends it.
    func enqueue(_ result: RPCResult) -> (any Flushable)? {
        switch self {
        case .channel(let channel, let call):
            channel.enqueue(answer: result, call: call)
            return channel
        case .bus(let session, let message):
            session.answer(message, with: result)
            return nil
        }
    }

    /// Sends the answer now.
    func send(_ result: RPCResult) {
        switch self {
        case .channel(let channel, let call): channel.send(answer: result, call: call)
        case .bus(let session, let message): session.answer(message, with: result)
        }
    }
}
