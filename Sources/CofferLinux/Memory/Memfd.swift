internal import CLinux

/// Makes memory that can be handed to another process and that no process can change any more.
package enum Memfd {
    /// Sealed memory that holds `bytes`.
    package static func sealed(_ bytes: [UInt8]) throws(LinuxError) -> OwnedDescriptor {
        let builder = try MemfdBuilder()
        try builder.append(bytes)
        return try builder.seal()
    }
}

/// Memory that is written piece by piece and then sealed.
///
/// Confined. It is written through its descriptor, so nothing maps it when it is sealed.
package final class MemfdBuilder {
    private let descriptor: OwnedDescriptor
    /// How many bytes were appended.
    package private(set) var byteCount = 0

    /// Empty memory; `name` shows in `/proc/PID/fd` only.
    package init(name: String = "coffer") throws(LinuxError) {
        descriptor = OwnedDescriptor(owning: try check(unsafe coffer_memfd_create(name), "memfd_create"))
    }

    /// Appends `bytes`.
    ///
    /// - Throws: `.bufferFull` past `Limits.sealedMemory`.
    package func append(_ bytes: [UInt8]) throws(LinuxError) {
        if bytes.count > Limits.sealedMemory - byteCount { throw .bufferFull(limit: Limits.sealedMemory) }
        // By its place in the memory, so that the receiver of the descriptor reads from the beginning.
        try descriptor.writeAll(bytes, at: byteCount)
        byteCount += bytes.count
    }

    /// Seals the memory against every change and returns its descriptor; nothing can be appended afterwards.
    package func seal() throws(LinuxError) -> OwnedDescriptor {
        try check(coffer_memfd_seal(descriptor.number), "fcntl(F_ADD_SEALS)")
        return descriptor
    }
}
