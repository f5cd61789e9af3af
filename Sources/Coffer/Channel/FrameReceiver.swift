internal import CofferLinux
internal import CofferWire

/// Receives frames from a stream.
struct FrameReceiver: ~Copyable {
    /// What came of receiving.
    enum Reception {
        case received
        case nothing
        case closed
    }

    private let stream: StreamEnd
    private var input = StreamInput()
    /// One for each method: that large fetches take long says nothing about saves.
    private var spins: [SpinPolicy] = []

    init(_ stream: StreamEnd) { self.stream = stream }

    /// The next whole frame of what was received.
    mutating func nextFrame() throws(LinkFailure) -> ReceivedFrame? {
        guard input.buffer.count >= FrameHeader.byteCount else { return nil }
        do {
            let header = try input.buffer.withBytes { bytes throws(WireError) in try FrameHeader(bytes) }
            let byteCount = FrameHeader.byteCount + header.streamedByteCount
            guard input.buffer.count >= byteCount else {
                try input.buffer.reserve(byteCount)
                return nil
            }
            _ = input.buffer.skip(FrameHeader.byteCount)
            guard let bytes = input.buffer.take(header.streamedByteCount),
                let descriptors = input.buffer.takeDescriptors(header.descriptorCount)
            else { throw LinkFailure.violation("descriptors are missing") }
            return ReceivedFrame(header: header, payload: try payload(of: header, bytes, descriptors))
        } catch let failure as LinkFailure {
            throw failure
        } catch {
            throw .violation("\(error)")
        }
    }

    /// Receives what has come, without waiting.
    mutating func receive() throws(LinkFailure) -> Reception {
        do throws(LinuxError) {
            return reception(try input.receive(from: stream))
        } catch {
            throw .system("\(error)")
        }
    }

    /// Receives what comes first while the reply of `method` is waited for; `.nothing` if nothing came
    /// before the monotonic `deadline`.
    mutating func receive(_ method: ChannelMethod, until deadline: UInt64?) throws(LinkFailure) -> Reception {
        let latest = Int(method.rawValue)
        while latest >= spins.count { spins.append(SpinPolicy(limit: Limits.spin)) }
        var spin = spins[latest]
        defer { spins[latest] = spin }
        do throws(LinuxError) {
            let soon = reception(try input.receive(from: stream, spinning: &spin))
            if soon != .nothing { return soon }
            let result = reception(try input.receive(from: stream, until: deadline))
            if result == .received { spin.ended() }
            return result
        } catch {
            throw .system("\(error)")
        }
    }

    private func reception(_ result: ReceiveResult) -> Reception {
        switch result {
        case .received: .received
        case .wouldBlock: .nothing
        case .closed: .closed
        }
    }

    private func payload(
        of header: FrameHeader, _ bytes: [UInt8], _ descriptors: [OwnedDescriptor]
    ) throws(LinuxError) -> ReceivedPayload {
        guard header.flags.contains(.sealedMemory), let descriptor = descriptors.first else {
            return descriptors.isEmpty ? .bytes(bytes) : .accompanied(bytes, descriptors)
        }
        return .memory(try SealedMemory.map(descriptor, expectedByteCount: header.payloadByteCount))
    }
}
