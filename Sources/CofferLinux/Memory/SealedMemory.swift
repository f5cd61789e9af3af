internal import CLinux

/// Mapped memory of another process that its sender can neither change nor cut off.
///
/// Shared: the bytes never change, and stay mapped from `init` to `deinit`; the seals were checked before
/// mapping.
@safe package final class SealedMemory: Sendable {
    /// How many bytes there are.
    package let byteCount: Int
    // Immutable memory, so that every thread may read it.
    nonisolated(unsafe) private let start: UnsafeMutableRawPointer?

    private init(start: UnsafeMutableRawPointer?, byteCount: Int) {
        unsafe self.start = unsafe start
        self.byteCount = byteCount
    }

    deinit {
        if let start = unsafe start { unsafe coffer_unmap(start, byteCount) }
    }

    /// Maps the memory of `descriptor`, which may be closed afterwards.
    ///
    /// - Throws: `.notSealed` if it can still be written, shrunk or grown, `.wrongSize` if its length is not
    ///   `expectedByteCount`, `.bufferFull` if `expectedByteCount` is over `Limits.sealedMemory`.
    package static func map(
        _ descriptor: OwnedDescriptor, expectedByteCount: Int
    ) throws(LinuxError) -> SealedMemory {
        if expectedByteCount > Limits.sealedMemory { throw .bufferFull(limit: Limits.sealedMemory) }
        try require(descriptor)
        let facts = try descriptor.facts()
        if facts.byteCount != expectedByteCount {
            throw .wrongSize(expected: expectedByteCount, actual: facts.byteCount)
        }
        if expectedByteCount == 0 { return unsafe SealedMemory(start: nil, byteCount: 0) }
        var start: UnsafeMutableRawPointer?
        try check(unsafe coffer_map(descriptor.number, expectedByteCount, &start), "mmap")
        return unsafe SealedMemory(start: start, byteCount: expectedByteCount)
    }

    /// Says whether `descriptor` is of memory that no process can change any more.
    ///
    /// - Throws: `.notSealed` if it can still be written, shrunk or grown, or is something else; `.wrongSize`
    ///   if it has holes, since reading them would take memory of the reader.
    package static func require(_ descriptor: OwnedDescriptor) throws(LinuxError) {
        let isSealed = try check(coffer_memfd_is_sealed(descriptor.number), "fcntl(F_GET_SEALS)")
        let facts = try descriptor.facts()
        guard isSealed != 0, facts.kind == .file else { throw .notSealed }
        guard facts.allocatedByteCount >= facts.byteCount else {
            throw .wrongSize(expected: facts.byteCount, actual: facts.allocatedByteCount)
        }
    }

    /// Lends the bytes.
    package func withBytes<Result, Failure>(
        _ body: (RawSpan) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let bytes = unsafe UnsafeRawBufferPointer(start: start, count: byteCount)
        return try body(unsafe bytes.bytes)
    }

    /// Copies the bytes out.
    package func copyBytes() -> [UInt8] {
        unsafe Array(UnsafeRawBufferPointer(start: start, count: byteCount))
    }
}
