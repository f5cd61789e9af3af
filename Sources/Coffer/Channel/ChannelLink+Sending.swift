internal import CofferLinux
internal import CofferWire
internal import Synchronization

/// Sending: a thread that has something to send while no other sends is the sender, until nothing is left.
extension ChannelLink {
    /// Sends `frame`, and then what others have queued meanwhile.
    func flush(_ frame: OutgoingFrame) {
        do throws(LinkFailure) {
            try send(frame)
            if let batch = takeMore() { flush(batch) }
        } catch {
            stopSending(error)
        }
    }

    /// Sends `batch`, and then what others have queued meanwhile.
    func flush(_ batch: [OutgoingFrame]) {
        var batch = batch
        do throws(LinkFailure) {
            while true {
                var rest = batch[...]
                while let first = rest.first {
                    // Frames with descriptors go alone, since those ride on the first byte of what is sent.
                    let count =
                        first.descriptors.isEmpty
                        ? rest.prefix(Limits.framesPerSend).prefix { $0.descriptors.isEmpty }.count : 1
                    try send(rest.prefix(count))
                    rest = rest.dropFirst(count)
                }
                guard let more = takeMore() else { return }
                batch = more
            }
        } catch {
            stopSending(error)
        }
    }

    private func stopSending(_ failure: LinkFailure) {
        state.withLock { $0.isSending = false }
        fail(failure)
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

    private func send(_ frame: OutgoingFrame) throws(LinkFailure) {
        try send(byteCount: frame.header.count + frame.payload.count) { sent throws(LinuxError) in
            try stream.send(
                header: frame.header, payload: frame.payload, from: sent,
                descriptors: sent == 0 ? frame.descriptors : [])
        }
    }

    private func send(_ frames: ArraySlice<OutgoingFrame>) throws(LinkFailure) {
        if frames.count == 1, let frame = frames.first { return try send(frame) }
        let parts = frames.flatMap { [$0.header, $0.payload] }
        try send(byteCount: parts.reduce(0) { $0 + $1.count }) { sent throws(LinuxError) in
            try stream.send(parts, from: sent)
        }
    }

    /// Calls `send` with how much is sent so far, until all is.
    private func send(
        byteCount: Int, _ send: (Int) throws(LinuxError) -> SendResult
    ) throws(LinkFailure) {
        var sent = 0
        while sent < byteCount {
            let result: SendResult
            do throws(LinuxError) { result = try send(sent) } catch { throw .system("\(error)") }
            switch result {
            case .sent(let count): sent += count
            case .closed: throw .closed
            case .wouldBlock: try makeWay()
            }
        }
    }

    /// Waits until the socket takes more; the service may itself wait for this end to read before it reads
    /// on.
    private func makeWay() throws(LinkFailure) {
        readWithoutWaiting()
        do throws(LinuxError) {
            _ = try stream.socket.waitUntilWritable(timeout: .milliseconds(5))
        } catch {
            throw .system("\(error)")
        }
    }
}
