internal import CLinux

/// Memory that both ends of a stream have mapped, with a place for each direction.
///
/// The maker is the client: what it receives may be a part of a large answer, what it sends are small calls.
/// Pages that are never touched take no memory.
///
/// Shared, and never trusted: the other process may change it at any time, but neither shorten it nor take it
/// away.
@safe package final class SharedFrameMemory: Sendable {
    /// Bytes of the place that the maker writes.
    package static let callByteCount = 4 << 10
    /// Bytes of the place that it reads: a part of a large answer has room.
    package static let answerByteCount = 128 << 10
    /// How many bytes there are.
    package static let byteCount = callByteCount + answerByteCount

    /// Where this end puts bytes down.
    let outgoing: SharedFrameSlot
    /// Where it finds them.
    let incoming: SharedFrameSlot
    // Mapped from `init` to `deinit`; only the places touch what is there.
    private nonisolated(unsafe) let start: UnsafeMutableRawPointer

    private init(_ descriptor: OwnedDescriptor, isMaker: Bool) throws(LinuxError) {
        var mapped: UnsafeMutableRawPointer?
        try check(unsafe coffer_map_shared(descriptor.number, Self.byteCount, &mapped), "mmap")
        guard let start = unsafe mapped else { throw .wrongSize(expected: Self.byteCount, actual: 0) }
        unsafe self.start = unsafe start
        let calls = unsafe SharedFrameSlot(start, byteCount: Self.callByteCount)
        let answers = unsafe SharedFrameSlot(start + Self.callByteCount, byteCount: Self.answerByteCount)
        (outgoing, incoming) = isMaker ? (calls, answers) : (answers, calls)
    }

    deinit { unsafe coffer_unmap(start, Self.byteCount) }

    /// New memory, and its descriptor for the other end.
    package static func make() throws(LinuxError) -> (SharedFrameMemory, OwnedDescriptor) {
        let descriptor = OwnedDescriptor(
            owning: try check(unsafe coffer_memfd_create("coffer-frames"), "memfd_create"))
        try descriptor.truncate(to: byteCount)
        try check(coffer_memfd_fix_size(descriptor.number), "fcntl(F_ADD_SEALS)")
        return (try SharedFrameMemory(descriptor, isMaker: true), descriptor)
    }

    /// Maps what the other end made; the descriptor may be closed afterwards.
    ///
    /// - Throws: `.notSealed` if its length could change, which would end a process that touches it;
    ///   `.wrongSize` for another length.
    package static func map(_ descriptor: OwnedDescriptor) throws(LinuxError) -> SharedFrameMemory {
        guard try check(coffer_memfd_has_fixed_size(descriptor.number), "fcntl(F_GET_SEALS)") != 0 else {
            throw .notSealed
        }
        let facts = try descriptor.facts()
        guard facts.kind == .file, facts.byteCount == byteCount else {
            throw .wrongSize(expected: byteCount, actual: facts.byteCount)
        }
        return try SharedFrameMemory(descriptor, isMaker: false)
    }
}
