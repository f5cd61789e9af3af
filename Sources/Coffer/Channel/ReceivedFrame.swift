internal import CofferLinux
internal import CofferWire

/// A frame that came, whole.
struct ReceivedFrame: Sendable {
    /// What it is.
    let header: FrameHeader
    /// What it carries.
    let payload: ReceivedPayload
}

/// The packed message of a frame: copied out of the stream, or in the sender's sealed memory.
enum ReceivedPayload: Sendable {
    case bytes([UInt8])
    case memory(SealedMemory)
    /// A payload with descriptors, which are not part of the message.
    case accompanied([UInt8], [OwnedDescriptor])

    /// The bytes, copied if they are in sealed memory.
    var copied: [UInt8] {
        switch self {
        case .bytes(let bytes), .accompanied(let bytes, _): bytes
        case .memory(let memory): memory.copyBytes()
        }
    }

    /// What came beside the message.
    var descriptors: [OwnedDescriptor] {
        if case .accompanied(_, let descriptors) = self { descriptors } else { [] }
    }

    /// Reads the message, in place.
    func message<Message: WireMessage>(_: Message.Type) throws(WireError) -> Message {
        switch self {
        case .bytes(let bytes), .accompanied(let bytes, _): try Message(packed: bytes)
        case .memory(let memory):
            try memory.withBytes { bytes throws(WireError) in try Message(packed: bytes) }
        }
    }
}
