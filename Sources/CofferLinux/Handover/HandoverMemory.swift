internal import CLinux

/// Memory that both ends of a stream have mapped, with a place for each direction.
///
/// Shared, and never trusted: the other process may change it at any time, but neither shorten it nor take it away.
@safe package final class HandoverMemory: Sendable {
    /// How many bytes there are.
    package static let byteCount = 2 * HandoverPlace.byteCount

    /// Where this end puts bytes down.
    let outgoing: HandoverPlace
    /// Where it finds them.
    let incoming: HandoverPlace
    // Mapped from `init` to `deinit`; only the places touch what is there.
    private nonisolated(unsafe) let start: UnsafeMutableRawPointer

    private init(_ descriptor: OwnedDescriptor, isMaker: Bool) throws(LinuxError) {
        var mapped: UnsafeMutableRawPointer?
        try check(unsafe coffer_map_shared(descriptor.number, Self.byteCount, &mapped), "mmap")
        guard let start = unsafe mapped else { throw .wrongSize(expected: Self.byteCount, actual: 0) }
        unsafe self.start = unsafe start
        let (first, second) = unsafe (HandoverPlace(start), HandoverPlace(start + HandoverPlace.byteCount))
        (outgoing, incoming) = isMaker ? (first, second) : (second, first)
    }

    deinit { unsafe coffer_unmap(start, Self.byteCount) }

    /// New memory, and its descriptor for the other end.
    package static func make() throws(LinuxError) -> (HandoverMemory, OwnedDescriptor) {
        let descriptor = OwnedDescriptor(
            owning: try check(unsafe coffer_memfd_create("coffer-handover"), "memfd_create"))
        try descriptor.truncate(to: byteCount)
        try check(coffer_memfd_fix_size(descriptor.number), "fcntl(F_ADD_SEALS)")
        return (try HandoverMemory(descriptor, isMaker: true), descriptor)
    }

    /// Maps what the other end made; the descriptor may be closed afterwards.
    ///
    /// - Throws: `.notSealed` where its length could change, which would end whoever touches it; `.wrongSize` for another length.
    package static func map(_ descriptor: OwnedDescriptor) throws(LinuxError) -> HandoverMemory {
        guard try check(coffer_memfd_has_fixed_size(descriptor.number), "fcntl(F_GET_SEALS)") != 0 else {
            throw .notSealed
        }
        let facts = try descriptor.facts()
        guard facts.kind == .file, facts.byteCount == byteCount else {
            throw .wrongSize(expected: byteCount, actual: facts.byteCount)
        }
        return try HandoverMemory(descriptor, isMaker: false)
    }
}
