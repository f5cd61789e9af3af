import CofferLinux
import CofferWire

/// The packed message of a call: as it came, or in the caller's sealed memory, where it is read in place.
enum RequestPayload: Sendable {
    case bytes([UInt8])
    case memory(SealedMemory)

    /// Bytes of the message, which count until the call is answered.
    var byteCount: Int {
        switch self {
        case .bytes(let bytes): bytes.count
        case .memory(let memory): memory.byteCount
        }
    }

    /// The message in the sealed memory of `descriptor`, which has `byteCount` bytes.
    ///
    /// - Throws: `LinuxError.notSealed`, `.wrongSize` for memory that could change while it is read;
    ///   `.bufferFull` past `CofferWire.Limits.message`.
    static func sealed(_ descriptor: OwnedDescriptor, byteCount: Int) throws(LinuxError) -> RequestPayload {
        guard byteCount <= CofferWire.Limits.message else {
            throw .bufferFull(limit: CofferWire.Limits.message)
        }
        return .memory(try SealedMemory.map(descriptor, expectedByteCount: byteCount))
    }
}

extension WireMessage {
    /// Reads the message of a call.
    ///
    /// - Throws: `WireError`, naming message and field, if it is not this message or passes a limit.
    init(packed payload: RequestPayload) throws(WireError) {
        switch payload {
        case .bytes(let bytes): try self.init(packed: bytes)
        case .memory(let memory):
            self = try memory.withBytes { bytes throws(WireError) in try Self(packed: bytes) }
        }
    }
}
