import CofferDBus
import CofferLinux
import CofferWire

/// The service's names on the bus.
enum ServiceNames {
    static let name = "org.coffer.Storage1"
    static let path = "/org/coffer/Storage1"
}

/// Calls of `service Storage` as D-Bus methods: `ay ah → ay ah`.
///
/// Confined.
final class BusCalls {
    private let bus: DBusClient
    /// Longer than any call may take.
    private static let timeoutMilliseconds = 60_000

    init(address: String) throws { bus = try DBusClient(to: .explicit(address)) }

    /// Calls the method and reads its reply, which comes as sealed memory if it is large.
    func call<Request: WireMessage, Reply: WireMessage>(
        _ member: String, _ request: Request, as type: Reply.Type = Reply.self
    ) throws -> Reply {
        let reply = try bus.call(
            ServiceNames.name, path: ServiceNames.path, interface: ServiceNames.name, member: member,
            body: [.bytes(try request.packed()), .array("h", [])],
            timeoutMilliseconds: Self.timeoutMilliseconds)
        guard let bytes = reply.body.first?.bytesValue else {
            throw BenchError.wrongAnswer("\(member) answered '\(reply.signature)'")
        }
        guard bytes.isEmpty, let memory = reply.body.last?.descriptorValues?.first else {
            return try Reply(packed: bytes)
        }
        let mapped = try SealedMemory.map(memory, expectedByteCount: memory.facts().byteCount)
        return try mapped.withBytes { bytes throws(WireError) in try Reply(packed: bytes) }
    }

    /// The next push, or `nil` if no push comes within the time.
    func nextPush(timeoutMilliseconds: Int) throws -> PushMessage? {
        while let signal = try bus.nextSignal(timeoutMilliseconds: timeoutMilliseconds) {
            guard signal.member == "Push", let bytes = signal.body.first?.bytesValue else { continue }
            return try PushMessage(packed: bytes)
        }
        return nil
    }
}
