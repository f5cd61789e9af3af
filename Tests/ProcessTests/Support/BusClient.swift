import CofferDBus
import CofferLinux
import CofferService
import CofferWire
import FoundationEssentials

/// A client of the control plane: every call is a method on the bus.
///
/// Confined.
final class BusClient {
    let connection: DBusClient
    let id: UUID

    /// A client over `bus`, which says Hello.
    init(bus: DBusClient, application: String, id: UUID = UUID()) throws {
        connection = bus
        self.id = id
        let _: HelloReplyMessage = try call(
            "Hello", HelloRequestMessage(application: application, client: id, processName: "ProcessTests"))
    }

    /// Calls a method with a message.
    func call<Reply: WireMessage>(_ method: String, _ message: some WireMessage) throws -> Reply {
        try Reply(packed: try BusClient.call(method, try message.packed(), over: connection))
    }

    /// Calls a method with bytes that may not be a message.
    ///
    /// - Throws: `Refusal` with what the service says.
    static func call(
        _ method: String, _ bytes: [UInt8], descriptors: [OwnedDescriptor] = [], over connection: DBusClient
    ) throws -> [UInt8] {
        do {
            let reply = try connection.call(
                BusNames.name, path: BusNames.path, interface: BusNames.name, member: method,
                body: [.bytes(bytes), .array("h", descriptors.map { .unixFD($0) })])
            let payload = try reply.argument(0, \.bytesValue)
            guard payload.isEmpty, let memory = try reply.argument(1, \.descriptorValues).first else {
                return payload
            }
            return try SealedMemory.map(memory, expectedByteCount: try memory.facts().byteCount).copyBytes()
        } catch let DBusError.remote(name, text) {
            guard let detail = ErrorDetailMessage(busErrorName: name, text: text) else {
                throw DBusError.remote(name: name, message: text)
            }
            throw Refusal(detail)
        }
    }
}
