internal import CLinux

/// Why the kernel, or what it showed us, did not allow what was asked.
///
/// That a socket or lock is not ready now is not an error: it is a result of its call.
package enum LinuxError: Error, Equatable, Sendable {
    /// `call` failed with `errno`; `path` names what it was about, if that is a file.
    case system(call: String, errno: Int32, path: String?)
    /// A name that came from outside cannot stand in a path below a folder: refuse it.
    case invalidPath(String, reason: PathFault)
    /// The peer sent more descriptors with one message than allowed; those that came were closed: hang up.
    case tooManyDescriptors(limit: Int)
    /// More bytes wait in a buffer than `limit` allows: hang up.
    case bufferFull(limit: Int)
    /// Another owner held the lock on `path` for the whole wait; `owner` is the pid that it left there.
    case locked(path: String, owner: Int32?)
    /// Shared memory lacks seals, so its sender could still change it: refuse it.
    case notSealed
    /// Shared memory is not as long as its sender said: refuse it.
    case wrongSize(expected: Int, actual: Int)
    /// A file of the system or of the sandbox does not read as it must.
    case malformed(path: String, detail: String)
}

/// What is wrong with a path or with one component of it.
package enum PathFault: Equatable, Sendable {
    case empty
    case absolute
    case notAbsolute
    case dots
    case separator
    case nul
    case tooLong
}

extension LinuxError {
    /// The `errno` of a failed call; `nil` if the failure was not the kernel's.
    package var errno: Int32? {
        if case .system(_, let errno, _) = self { errno } else { nil }
    }

    /// Whether a file or process that was asked for does not exist.
    package var isNotFound: Bool { errno == coffer_enoent }

    /// Whether this process may not write there.
    package var isWriteRefused: Bool {
        errno == coffer_eacces || errno == coffer_eperm || errno == coffer_erofs
    }

    /// Whether the file system knows no locks.
    package var hasNoLocks: Bool {
        errno.map(Self.meansNoLocks) ?? false
    }

    /// Whether an error of a system call that locks says that there are no such locks.
    static func meansNoLocks(_ errno: Int32) -> Bool {
        errno == coffer_enolck || errno == coffer_enosys || errno == coffer_eopnotsupp
    }

    /// Whether the file system can only be read.
    package var isOfReadOnlyFileSystem: Bool { errno == coffer_erofs }

    /// Whether the disk, or what its owner may have of it, is full.
    package var isFull: Bool { errno == coffer_enospc || errno == coffer_edquot }

    /// Whether the process, or the machine, has no descriptors left.
    package var isOutOfDescriptors: Bool { errno == coffer_emfile || errno == coffer_enfile }

    /// Whether there is no memory left.
    package var isOutOfMemory: Bool { errno == coffer_enomem }

    /// Whether a descriptor allows no such use: it is one of `O_PATH`, or opened for something else.
    package var isUnfitDescriptor: Bool { errno == coffer_ebadf }

    /// What the system said, without what it was asked to do.
    package var reason: String {
        if case .system(_, let errno, _) = self { errorText(errno) } else { description }
    }

    /// Whether the file system gives no file a second name, or this one no further.
    package var isLinkRefused: Bool {
        errno == coffer_eperm || errno == coffer_eopnotsupp || errno == coffer_emlink
            || errno == coffer_enosys
    }

    /// Whether something has the name already that was to be given.
    package var isTaken: Bool { errno == coffer_eexist }

    /// Whether a path that must not lead elsewhere holds a symbolic link.
    package var isSymbolicLink: Bool { errno == coffer_eloop }
}

extension LinuxError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .system(let call, let errno, let path):
            "\(call)\(path.map { " of '\($0)'" } ?? ""): \(errorText(errno))"
        case .invalidPath(let path, let reason): "'\(path)' is not a path below a folder: \(reason)"
        case .tooManyDescriptors(let limit): "a message carried more than \(limit) descriptors"
        case .bufferFull(let limit): "more than \(limit) bytes wait in a receive buffer"
        case .locked(let path, let owner?): "'\(path)' is locked by process \(owner)"
        case .locked(let path, nil): "'\(path)' is locked by another process"
        case .notSealed: "shared memory is not sealed"
        case .wrongSize(let expected, let actual): "shared memory has \(actual) bytes, not \(expected)"
        case .malformed(let path, let detail): "'\(path)' is malformed: \(detail)"
        }
    }
}

/// The text of `strerror_r(3)`.
func errorText(_ errno: Int32) -> String {
    var text = [CChar](repeating: 0, count: 128)
    unsafe text.withUnsafeMutableBufferPointer { unsafe coffer_error_text(errno, $0.baseAddress, $0.count) }
    return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
}

/// Checks what a shim returned: a value of 0 or more, or a negative `errno`.
@inline(__always)
@discardableResult
func check(_ value: Int32, _ call: StaticString, path: String? = nil) throws(LinuxError) -> Int32 {
    if value >= 0 { return value }
    throw .system(call: "\(call)", errno: -value, path: path)
}

/// Checks what a shim returned: a value of 0 or more, or a negative `errno`.
@inline(__always)
@discardableResult
func check(_ value: Int, _ call: StaticString, path: String? = nil) throws(LinuxError) -> Int {
    if value >= 0 { return value }
    throw .system(call: "\(call)", errno: Int32(-value), path: path)
}
