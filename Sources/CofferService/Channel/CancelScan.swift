import CofferWire

/// Finds the calls that frames take back which wait behind the one that is carried out, looking at each frame
/// once.
///
/// A client may have thousands of calls waiting, each of which looks for its own end.
struct CancelScan: Sendable {
    /// Bytes of those that wait which were looked at.
    private var offset = 0
    /// Calls that frames among them take back.
    private var calls: Set<UInt64> = []

    /// Looks at what has come since; `bytes` are all that wait.
    mutating func scan(_ bytes: RawSpan) {
        while offset + FrameHeader.byteCount <= bytes.byteCount {
            // Its reading in its turn says what is wrong.
            guard let header = try? FrameHeader(bytes.extracting(offset..<offset + FrameHeader.byteCount))
            else { return }
            let end = offset + FrameHeader.byteCount + header.streamedByteCount
            if end > bytes.byteCount { return }
            if header.kind == .cancel { calls.insert(header.callID) }
            offset = end
        }
    }

    /// The first frame of those that wait was taken out.
    mutating func didRead(_ header: FrameHeader) {
        offset = max(0, offset - FrameHeader.byteCount - header.streamedByteCount)
        if header.kind == .cancel { calls.remove(header.callID) }
    }

    /// Whether a frame that waits takes `call` back.
    func holds(_ call: UInt64) -> Bool { calls.contains(call) }
}
