import CofferLinux
import CofferWire

extension ServerChannel {
    /// Asks the client, and tells `completion` once what came of it, on some worker; at once if nothing can
    /// come.
    ///
    /// No thread waits. The client is given `timeout`, and told when that is over.
    func ask(
        _ method: ClientMethod, payload: [UInt8], timeout: Duration, deadlines: TimerQueue,
        _ completion: @escaping ClientCalls.Completion
    ) {
        guard let id = calls.begin(completion) else { return completion(.gone) }
        var header = FrameHeader(
            kind: .call, callID: id, payloadByteCount: payload.count,
            timeoutMilliseconds: UInt32(clamping: timeout.wholeNanoseconds / 1_000_000))
        header.methodNumber = method.rawValue
        // The call holds the channel no longer than its time, though the deadline is not taken back.
        _ = deadlines.add(after: timeout) { [weak self] in self?.giveUp(id) }
        outbound.append(OutboundQueue.Item(header: header.bytes, payload: payload, descriptors: []))
        flush()
    }

    private func giveUp(_ id: UInt64) {
        guard calls.handle(.timePassed, of: id) else { return }
        let header = FrameHeader(kind: .cancel, callID: id)
        outbound.append(OutboundQueue.Item(header: header.bytes, payload: [], descriptors: []))
        flush()
    }
}
