internal import CofferLinux
internal import CofferWire
internal import Synchronization

/// Sending: whoever has something to send while nobody sends is the sender, until nothing is left.
extension ChannelLink {
    /// Sends `batch`, and then what others have queued meanwhile.
    func flush(_ batch: [OutgoingFrame]) {
        var batch = batch
        do throws(LinkFailure) {
            while true {
                var rest = batch[...]
                while !rest.isEmpty {
                    try send(rest.prefix(Limits.framesPerSend))
                    rest = rest.dropFirst(Limits.framesPerSend)
                }
                guard let more = takeMore() else { return }
                batch = more
            }
        } catch {
            state.withLock { $0.isSending = false }
            fail(error)
        }
    }

    private func takeMore() -> [OutgoingFrame]? {
        state.withLock { state in
            if state.outbound.isEmpty {
                state.isSending = false
                return nil
            }
            defer { state.outbound = [] }
            return state.outbound
        }
    }

    private func send(_ frames: ArraySlice<OutgoingFrame>) throws(LinkFailure) {
        let parts = frames.flatMap { [$0.header, $0.payload] }
        let byteCount = parts.reduce(0) { $0 + $1.count }
        var sent = 0
        while sent < byteCount {
            switch try send(parts, from: sent) {
            case .sent(let count): sent += count
            case .closed: throw .closed
            case .wouldBlock: try makeWay()
            }
        }
    }

    private func send(_ parts: [[UInt8]], from offset: Int) throws(LinkFailure) -> SendResult {
        do throws(LinuxError) {
            if parts.count == 2 { return try socket.send(header: parts[0], payload: parts[1], from: offset) }
            return try socket.send(parts, from: offset)
        } catch {
            throw .system("\(error)")
        }
    }

    /// Waits until the socket takes more; the service may itself wait for this end to read before it reads on.
    private func makeWay() throws(LinkFailure) {
        readWithoutWaiting()
        do throws(LinuxError) {
            _ = try socket.waitUntilWritable(timeout: .milliseconds(5))
        } catch {
            throw .system("\(error)")
        }
    }
}
