internal import CLinux
internal import Glibc

/// Bytes received and not yet taken, and the descriptors that came with them.
///
/// One connection's reader keeps it in place; it is never copied. It grows up to its limit and shrinks again
/// as what waits is taken.
package struct ReceiveBuffer: ~Copyable, Sendable {
    /// Bytes that may wait at most.
    package let limit: Int
    private var storage: [UInt8] = []  // All of it is initialised; `head..<tail` waits.
    private var head = 0
    private var tail = 0
    private var wanted = Limits.receiveBufferAtRest
    private var descriptors: [OwnedDescriptor] = []

    /// An empty buffer for at most `limit` bytes.
    package init(limit: Int = Limits.receiveBuffer) {
        precondition(limit > 0, "a buffer that holds nothing receives nothing")
        self.limit = limit
    }

    /// How many bytes wait.
    package var count: Int { tail - head }

    /// Bytes of memory that it has.
    package var capacity: Int { storage.capacity }

    /// How many descriptors wait.
    package var descriptorCount: Int { descriptors.count }

    /// Lends the bytes that wait, which stay there.
    package func withBytes<Result, Failure>(
        _ body: (RawSpan) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(unsafe storage.span.bytes.extracting(head..<tail))
    }

    /// Takes the first `count` bytes out; `nil`, and nothing changes, until so many wait.
    package mutating func take(_ count: Int) -> [UInt8]? {
        guard count >= 0, count <= self.count else { return nil }
        let bytes = Array(storage[head..<head + count])
        advance(count)
        return bytes
    }

    /// Drops the first `count` bytes; says whether so many waited, and else drops none.
    package mutating func skip(_ count: Int) -> Bool {
        guard count >= 0, count <= self.count else { return false }
        advance(count)
        return true
    }

    /// Takes the first `count` descriptors out; `nil`, and nothing changes, until so many wait.
    package mutating func takeDescriptors(_ count: Int) -> [OwnedDescriptor]? {
        guard count >= 0, count <= descriptors.count else { return nil }
        if count == 0 { return [] }
        let taken = Array(descriptors[..<count])
        descriptors.removeFirst(count)
        return taken
    }

    /// Makes the next receptions large enough for `count` waiting bytes in all, to spare copies of a large
    /// frame.
    ///
    /// - Throws: `.bufferFull` if that is over the limit.
    package mutating func reserve(_ count: Int) throws(LinuxError) {
        if count > limit { throw .bufferFull(limit: limit) }
        wanted = max(wanted, count - self.count)
    }
}

extension ReceiveBuffer {
    /// Makes sure that at least one byte has room behind those that wait.
    mutating func makeRoom() throws(LinuxError) {
        let count = self.count
        if count >= limit { throw .bufferFull(limit: limit) }
        try makeRoom(for: min(wanted, limit - count))
    }

    private mutating func makeRoom(for room: Int) throws(LinuxError) {
        if room > limit - count { throw .bufferFull(limit: limit) }
        if storage.count - tail >= room { return }
        if head > 0 { compact() }
        if storage.count - tail < room { enlarge(to: max(tail + room, min(tail * 2, limit))) }
    }

    /// Takes more memory, whose first bytes are those that wait.
    private mutating func enlarge(to size: Int) {
        let former = storage
        let waiting = tail
        storage = unsafe [UInt8](unsafeUninitializedCapacity: size) { memory, count in
            if let base = memory.baseAddress {
                unsafe former.withUnsafeBytes { bytes in
                    if let start = bytes.baseAddress { unsafe memcpy(base, start, waiting) }
                }
                unsafe memset(base + waiting, 0, size - waiting)
            }
            count = size
        }
    }

    /// Whether the room of the last reception was not filled.
    var hasRoom: Bool { tail < storage.count }

    /// Appends `count` bytes, which `fill` writes.
    ///
    /// - Throws: `.bufferFull` if more would wait than the limit allows.
    mutating func append(_ count: Int, _ fill: (UnsafeMutableRawBufferPointer) -> Void) throws(LinuxError) {
        try makeRoom(for: count)
        unsafe storage.withUnsafeMutableBytes {
            unsafe fill(UnsafeMutableRawBufferPointer(rebasing: $0[tail..<tail + count]))
        }
        tail += count
    }

    /// Lends the free room behind the bytes that wait.
    mutating func withRoom<Result>(_ body: (UnsafeMutableRawBufferPointer) -> Result) -> Result {
        let tail = self.tail
        let end = min(storage.count, tail + limit - count)
        return unsafe storage.withUnsafeMutableBytes {
            unsafe body(UnsafeMutableRawBufferPointer(rebasing: $0[tail..<end]))
        }
    }

    /// Counts `count` bytes that were put into the room.
    mutating func grow(by count: Int) {
        tail += count
        // More is likely to follow if the room was filled.
        let filled = tail == storage.count
        wanted =
            filled ? min(wanted * 2, Limits.receiveAtOnce) : max(wanted - count, Limits.receiveBufferAtRest)
    }

    /// Takes over what rode on the bytes received last.
    mutating func own(_ received: coffer_descriptors) throws(LinuxError) {
        let numbers = received.numbers
        unsafe withUnsafeBytes(of: numbers) { bytes in
            let all = unsafe bytes.assumingMemoryBound(to: Int32.self)
            for i in 0..<Int(received.count) {
                unsafe descriptors.append(OwnedDescriptor(owning: all[i]))
            }
        }
        if received.truncated != 0 { throw .tooManyDescriptors(limit: Limits.descriptorsPerMessage) }
        if descriptors.count > Limits.waitingDescriptors {
            descriptors.removeAll()
            throw .tooManyDescriptors(limit: Limits.waitingDescriptors)
        }
    }

    private mutating func advance(_ count: Int) {
        head += count
        // A large frame is gone; a connection must not keep its memory, idle or not.
        if storage.count > Limits.receiveAtOnce, self.count <= storage.count / 2 { return shrink() }
        guard head == tail else { return }
        head = 0
        tail = 0
    }

    private mutating func shrink() {
        storage = Array(storage[head..<tail])
        (head, tail) = (0, storage.count)
        wanted = Limits.receiveBufferAtRest
    }

    private mutating func compact() {
        let count = self.count
        let head = self.head
        unsafe storage.withUnsafeMutableBytes { bytes in
            if count > 0, let base = bytes.baseAddress {
                unsafe base.copyMemory(from: base + head, byteCount: count)
            }
        }
        self.head = 0
        tail = count
    }
}
