internal import CofferLinux
internal import CofferWire

/// The receiving side of a link.
///
/// Only the thread that holds the link's baton touches it.
// The baton guards it, which `ChannelLink` gives to one thread at a time.
final class ReadEnd: @unchecked Sendable {
    // Lent to one call at a time, which calls nothing that comes back here: exclusivity needs no check at run
    // time, of which a call made ten.
    @exclusivity(unchecked) private var receiver: FrameReceiver

    init(_ stream: StreamEnd) { unsafe receiver = FrameReceiver(stream) }

    /// The next whole frame of what was received.
    func nextFrame() throws(LinkFailure) -> ReceivedFrame? { try unsafe receiver.nextFrame() }

    /// Receives what has come, without waiting.
    func receive() throws(LinkFailure) -> FrameReceiver.Reception { try unsafe receiver.receive() }

    /// Receives what comes first while the reply of `method` is waited for; `.nothing` where nothing came
    /// before the monotonic `deadline`.
    func receive(
        _ method: ChannelMethod, until deadline: UInt64?
    ) throws(LinkFailure) -> FrameReceiver.Reception {
        try unsafe receiver.receive(method, until: deadline)
    }
}
