internal import CLinux

/// A file descriptor that is closed when its last reference goes.
///
/// Shared: the number never changes. A number read from it is good only while the object lives.
package final class OwnedDescriptor: Sendable {
    /// The number that system calls take.
    package let number: Int32

    /// Takes over `number`, which no other code may close.
    package init(owning number: Int32) {
        precondition(number >= 0, "a descriptor has a number of 0 or more")
        self.number = number
    }

    /// Opens the file at `path`, which is trusted: links in it are followed, and it may be a device or a
    /// pipe.
    package convenience init(
        opening path: String, _ flags: OpenFlags = [], permissions: UInt32 = 0o600
    ) throws(LinuxError) {
        if path.utf8.contains(0) { throw .invalidPath(path, reason: .nul) }
        self.init(
            owning: try check(unsafe coffer_open(path, flags.rawValue, permissions), "open", path: path))
    }

    deinit { coffer_close(number) }

    /// A second descriptor of the same open file, closed on exec; `fcntl(F_DUPFD_CLOEXEC)`.
    package func duplicate() throws(LinuxError) -> OwnedDescriptor {
        try Self.duplicate(of: number)
    }

    /// A second descriptor of the open file `number`, which keeps its owner; closed on exec.
    package static func duplicate(of number: Int32) throws(LinuxError) -> OwnedDescriptor {
        OwnedDescriptor(owning: try check(coffer_duplicate(number), "fcntl(F_DUPFD_CLOEXEC)"))
    }
}
