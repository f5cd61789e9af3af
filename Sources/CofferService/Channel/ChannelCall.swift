import CofferWire

/// A call over a channel, as its answer needs it.
///
/// It carries what was counted for it, since its number does not tell: a client may give one number to two
/// calls at once.
struct ChannelCall: Sendable {
    /// The client's number of the call.
    let id: UInt64
    /// Bytes of a large request, which its client's budget counts until the call is answered; 0 for others.
    let largeByteCount: Int

    /// The call that a frame makes.
    init(_ header: FrameHeader) {
        id = header.callID
        let isLarge =
            header.flags.contains(.sealedMemory) || header.payloadByteCount > Limits.uncountedRequest
        largeByteCount = isLarge ? header.payloadByteCount : 0
    }
}
