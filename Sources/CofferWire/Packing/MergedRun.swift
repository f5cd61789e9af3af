/// The bytes of a message field that is there at most once.
///
/// A sender may give it in pieces, which protobuf merges: a later piece adds to lists, and replaces
/// everything else that it names. The pieces mean the same laid end to end, and so they are read as one. Safe
/// in that only a `FieldReader`, whose bytes stay, makes and reads one.
@safe struct MergedRun {
    private var first: UnsafeRawBufferPointer?
    /// All pieces, if there are more than one.
    private(set) var joined: [UInt8] = []
    /// Whether there are more pieces than one.
    private(set) var isJoined = false

    init() { unsafe first = nil }

    /// The first piece, where it lies; `nil` if there is none.
    var bytes: UnsafeRawBufferPointer? { unsafe first }

    /// Takes the field's next piece.
    mutating func take(_ piece: UnsafeRawBufferPointer) {
        guard let first = unsafe first else {
            unsafe self.first = piece
            return
        }
        if !isJoined { unsafe joined.append(contentsOf: first) }
        unsafe joined.append(contentsOf: piece)
        isJoined = true
    }
}

/// How many messages may still be read within a message: this bounds a reader's memory even if each takes
/// only two bytes of a sender's.
struct MessageParts {
    private var left = 0
    private let limit: Int

    /// No messages at all.
    init() { limit = 0 }

    /// As many as a message of `byteCount` bytes may have.
    init(_ messageLimit: MessageLimit, byteCount: Int) {
        limit = messageLimit.partCount(for: byteCount)
        left = limit
    }

    /// Counts one more; `name` is its own, for errors.
    mutating func takeOne(_ name: StaticString) throws(WireError) {
        guard left > 0 else {
            let byteCount = limit * MessageLimit.partByteCount
            throw .tooLarge(what: "\(name), unpacked", byteCount: byteCount, limit: byteCount)
        }
        left -= 1
    }
}
