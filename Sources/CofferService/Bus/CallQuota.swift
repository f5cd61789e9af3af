import CofferDBus
import Synchronization

/// Calls of one connection to the bus that wait for a worker, or for the bus to name their caller's
/// credentials.
struct CallQuota {
    private var count = 0
    private var byteCount = 0

    var isEmpty: Bool { count == 0 }

    /// Whether there is one alone.
    var isSingle: Bool { count == 1 }

    /// Counts one more.
    ///
    /// - Throws: `.tooManyCalls`, `.tooMuchRequested`; then it is not counted. One alone may be as large as
    ///   the bus allows.
    mutating func add(_ byteCount: Int) throws(ServiceError) {
        guard count < Limits.callsPerClient else { throw .tooManyCalls(limit: Limits.callsPerClient) }
        guard isEmpty || self.byteCount + byteCount <= Limits.queuedBytes else {
            throw .tooMuchRequested(limit: Limits.queuedBytes)
        }
        count += 1
        self.byteCount += byteCount
    }

    /// Counts a call out that no longer waits.
    mutating func remove(_ byteCount: Int) {
        count -= 1
        self.byteCount -= byteCount
    }
}

extension WorkAccount {
    /// Counts a call that waits for a worker, beside those of all connections of the client or user.
    ///
    /// - Throws: `.tooMuchRequested`; then it is not counted. One alone may be as large as the bus allows.
    func enqueue(_ byteCount: Int) throws(ServiceError) {
        let (before, all) = (group ?? self).queuedByteCount.add(byteCount, ordering: .relaxed)
        guard before > 0, all > Limits.queuedBytesOfGroup else { return }
        dequeue(byteCount)
        throw .tooMuchRequested(limit: Limits.queuedBytesOfGroup)
    }

    /// Counts the bytes of a call out that no longer waits.
    func dequeue(_ byteCount: Int) { (group ?? self).queuedByteCount.subtract(byteCount, ordering: .relaxed) }
}

extension DBusMessage {
    /// About what the message takes while it waits.
    var heldByteCount: Int { body.reduce(256) { $0 + $1.heldByteCount } }
}

extension DBusValue {
    /// What is kept for each value, however short.
    private static let overhead = 64

    fileprivate var heldByteCount: Int {
        switch self {
        case .byte, .boolean, .int16, .uint16, .int32, .uint32, .int64, .uint64, .double: Self.overhead
        case .unixFD: Limits.queuedDescriptor
        case .string(let text), .objectPath(let text), .signature(let text): Self.overhead + text.utf8.count
        case .bytes(let bytes): Self.overhead + bytes.count
        case .array(_, let elements): elements.reduce(Self.overhead) { $0 + $1.heldByteCount }
        case .structure(let members): members.reduce(Self.overhead) { $0 + $1.heldByteCount }
        case .dictionary(_, _, let entries):
            entries.reduce(Self.overhead) { $0 + $1.key.heldByteCount + $1.value.heldByteCount }
        case .variant(let value): Self.overhead + value.heldByteCount
        }
    }
}
