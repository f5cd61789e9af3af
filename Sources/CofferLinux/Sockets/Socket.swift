internal import CLinux

/// What became of bytes that were to be sent.
package enum SendResult: Equatable, Sendable {
    /// So many bytes were taken, at least 1, perhaps fewer than given; descriptors went with the first.
    case sent(Int)
    /// The socket is full: wait until it can be written, then send those bytes again.
    case wouldBlock
    /// The other end is gone.
    case closed
}

/// What came of an attempt to receive.
package enum ReceiveResult: Equatable, Sendable {
    /// So many bytes were added to the buffer, at least 1.
    case received(Int)
    /// Nothing came, or nothing in time.
    case wouldBlock
    /// The other end is gone, and everything that it sent was received.
    case closed
}

/// One end of a connected stream socket that carries bytes and descriptors.
///
/// Shared: any thread may send or receive; the kernel keeps each call whole, its callers their order.
package struct Socket: Sendable {
    /// The descriptor, which the socket keeps open.
    package let descriptor: OwnedDescriptor

    /// A socket over one end of a pair.
    package init(_ descriptor: OwnedDescriptor) {
        self.descriptor = descriptor
    }

    /// Sends `bytes` from `offset` on, without waiting.
    ///
    /// The `descriptors`, at most `Limits.descriptorsPerMessage`, ride on the first byte: after `.sent`, send
    /// the rest without them.
    package func send(
        _ bytes: [UInt8], from offset: Int = 0, descriptors: [OwnedDescriptor] = []
    ) throws(LinuxError) -> SendResult {
        let result = unsafe bytes.withUnsafeBytes { bytes in
            unsafe withNumbers(of: descriptors) { numbers in
                let rest = unsafe UnsafeRawBufferPointer(rebasing: bytes[offset...])
                var part = unsafe coffer_part(bytes: rest.baseAddress, count: rest.count)
                return unsafe coffer_send(
                    descriptor.number, &part, 1, numbers.baseAddress, numbers.count)
            }
        }
        return try sendResult(result)
    }

    /// Sends `header` and then `payload` in one call, from byte `offset` of the two on, without waiting.
    package func send(
        header: [UInt8], payload: [UInt8], from offset: Int = 0, descriptors: [OwnedDescriptor] = []
    ) throws(LinuxError) -> SendResult {
        if offset >= header.count {
            return try send(payload, from: offset - header.count, descriptors: descriptors)
        }
        let result = unsafe header.withUnsafeBytes { header in
            unsafe payload.withUnsafeBytes { payload in
                unsafe withNumbers(of: descriptors) { numbers in
                    let rest = unsafe UnsafeRawBufferPointer(rebasing: header[offset...])
                    return unsafe coffer_send_two(
                        descriptor.number, rest.baseAddress, rest.count, payload.baseAddress, payload.count,
                        numbers.baseAddress, numbers.count)
                }
            }
        }
        return try sendResult(result)
    }

    /// Sends `parts` one after the other in one call, from byte `offset` of the whole on, without waiting.
    ///
    /// Past `Limits.partsPerSend` parts, the rest is left for the next call.
    package func send(
        _ parts: [[UInt8]], from offset: Int = 0, descriptors: [OwnedDescriptor] = []
    ) throws(LinuxError) -> SendResult {
        var first = 0
        var skipped = offset
        while first < parts.count, skipped >= parts[first].count {
            skipped -= parts[first].count
            first += 1
        }
        let count = min(parts.count - first, Limits.partsPerSend)
        let result = unsafe withNumbers(of: descriptors) { numbers in
            unsafe withUnsafeTemporaryAllocation(of: coffer_part.self, capacity: count) { pointers in
                unsafe withParts(parts[first..<first + count], skipping: skipped, into: pointers, filled: 0) {
                    unsafe coffer_send(
                        descriptor.number, pointers.baseAddress, count, numbers.baseAddress, numbers.count)
                }
            }
        }
        return try sendResult(result)
    }

    /// Ends both directions: the other end, and threads that wait at this one, see `.closed`.
    package func shutDown() {
        _ = coffer_shut_down(descriptor.number)  // Fails only where the other end went first.
    }

    private func sendResult(_ value: Int) throws(LinuxError) -> SendResult {
        if value >= 0 { return .sent(value) }
        switch Int32(-value) {
        case coffer_eagain: return .wouldBlock
        case coffer_epipe, coffer_econnreset: return .closed
        case let errno: throw .system(call: "sendmsg", errno: errno, path: nil)
        }
    }
}

/// Lends the numbers of `descriptors`, which stay open meanwhile.
private func withNumbers<Result>(
    of descriptors: [OwnedDescriptor], _ body: (UnsafeMutableBufferPointer<Int32>) -> Result
) -> Result {
    if descriptors.isEmpty { return unsafe body(UnsafeMutableBufferPointer(start: nil, count: 0)) }
    return withExtendedLifetime(descriptors) {
        unsafe withUnsafeTemporaryAllocation(of: Int32.self, capacity: descriptors.count) { numbers in
            for (i, descriptor) in descriptors.enumerated() { unsafe numbers[i] = descriptor.number }
            return unsafe body(numbers)
        }
    }
}

/// Calls `body` while the memory of all `parts` is pinned and `pointers` name it.
private func withParts<Result>(
    _ parts: ArraySlice<[UInt8]>, skipping skipped: Int,
    into pointers: UnsafeMutableBufferPointer<coffer_part>, filled: Int, _ body: () -> Result
) -> Result {
    guard let part = parts.first else { return body() }
    return unsafe part.withUnsafeBytes { bytes in
        let rest = unsafe UnsafeRawBufferPointer(rebasing: bytes[skipped...])
        unsafe pointers[filled] = coffer_part(bytes: rest.baseAddress, count: rest.count)
        return unsafe withParts(
            parts.dropFirst(), skipping: 0, into: pointers, filled: filled + 1, body)
    }
}
