/// One frame of a channel: a header and the payload that follows it.
package struct Frame: Sendable, Equatable {
    /// What the frame is; its payload length is that of `payload`, or of the sealed memory.
    package var header: FrameHeader
    /// The packed message; empty where it is in sealed memory.
    package var payload: [UInt8]

    /// A frame of `payload`, whose length is written into the header unless the payload is in sealed memory.
    ///
    /// - Throws: `WireError.tooLarge` where the payload passes `Limits.frame`.
    package init(header: FrameHeader, payload: [UInt8] = []) throws(WireError) {
        guard payload.count <= Limits.frame else {
            throw .tooLarge(what: "frame payload", byteCount: payload.count, limit: Limits.frame)
        }
        self.header = header
        self.payload = payload
        if !header.flags.contains(.sealedMemory) { self.header.payloadByteCount = payload.count }
    }

    fileprivate init(received header: FrameHeader, payload: [UInt8]) {
        self.header = header
        self.payload = payload
    }

    /// Header and payload.
    package var bytes: [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(FrameHeader.byteCount + payload.count)
        header.append(to: &result)
        result.append(contentsOf: payload)
        return result
    }
}

/// Cuts a stream of bytes into frames.
///
/// Holds what was received and not yet taken: its owner takes all frames after each append, so this is less
/// than one frame and what came with it. A header that promises too much is refused when it comes, before
/// anything is reserved for it.
package struct FrameReader: Sendable {
    private var buffer: [UInt8] = []
    /// Where the next frame begins in `buffer`.
    private var start = 0
    private var header: FrameHeader?

    /// A reader at the beginning of a stream.
    package init() {}

    /// Bytes that were received and not yet taken.
    package var bufferedByteCount: Int { buffer.count - start }

    /// Bytes that are missing for the frame, or header, that comes next; 0 where it is there.
    package var missingByteCount: Int {
        let needed = header.map { FrameHeader.byteCount + $0.streamedByteCount } ?? FrameHeader.byteCount
        return max(0, needed - bufferedByteCount)
    }

    /// Takes bytes of the stream in.
    package mutating func append(_ bytes: [UInt8]) {
        compact()
        buffer.append(contentsOf: bytes)
    }

    /// Takes bytes of the stream in.
    package mutating func append(_ bytes: ArraySlice<UInt8>) {
        compact()
        buffer.append(contentsOf: bytes)
    }

    /// Takes bytes of the stream in.
    package mutating func append(_ bytes: RawSpan) {
        compact()
        unsafe bytes.withUnsafeBytes { unsafe buffer.append(contentsOf: $0) }
    }

    /// The next frame; `nil` until all of it has come.
    ///
    /// - Throws: `WireError` where the header is not one of ours or promises too much; the channel is then
    ///   lost.
    package mutating func next() throws(WireError) -> Frame? {
        guard let header = try nextHeader() else { return nil }
        let end = start + FrameHeader.byteCount + header.streamedByteCount
        guard buffer.count >= end else { return nil }
        let payload = Array(buffer[(start + FrameHeader.byteCount)..<end])
        start = end
        self.header = nil
        return Frame(received: header, payload: payload)
    }

    /// The header of the next frame, which `next` gives when all of it has come; `nil` until the header has.
    ///
    /// - Throws: `WireError` where it is not one of ours or promises too much; the channel is then lost.
    package mutating func nextHeader() throws(WireError) -> FrameHeader? {
        if let header { return header }
        guard bufferedByteCount >= FrameHeader.byteCount else { return nil }
        let header = try unsafe FrameHeader(buffer.span.bytes.extracting(droppingFirst: start))
        self.header = header
        return header
    }

    /// Moves what is left to the beginning, at most once for as many bytes as were taken.
    private mutating func compact() {
        guard start > 0 else { return }
        if start == buffer.count {
            buffer.removeAll(keepingCapacity: buffer.capacity <= Self.keptByteCount)
        } else if start >= buffer.count - start {
            buffer.removeFirst(start)
        } else {
            return
        }
        start = 0
    }

    /// Room that an idle channel keeps.
    private static let keptByteCount = 64 << 10
}
