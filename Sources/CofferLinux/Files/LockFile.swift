internal import CLinux

/// An exclusive lock on a name, held until the object goes or the process ends.
///
/// Shared. The lock belongs to the open file (`F_OFD_SETLK`), so it excludes other processes and other locks
/// of this one. The file's first line is its owner's pid, and it stays when the lock goes: removing it would
/// let two owners in. The line is written over the one before, since to cut a file and write it again can
/// wait for the file system's journal: 4 ms on ext4, and 7 µs so.
package final class LockFile: Sendable {
    private static let retryAfter = Duration.milliseconds(5)
    /// A file whose first line is empty was let go: what still holds it is a copy in a process that is being
    /// started, until its exec.
    private static let takeover = Duration.seconds(1)
    private let descriptor: OwnedDescriptor
    /// Of which kind it is.
    package let locks: FileLocks

    private init(_ descriptor: OwnedDescriptor, locks: FileLocks) {
        self.descriptor = descriptor
        self.locks = locks
    }

    /// Locks the file at `relativePath`, which is made if it is missing.
    ///
    /// While another owner holds the lock, it tries again for `wait`, and then throws `.locked` with the
    /// owner's pid. A file that has other names, too, is replaced by a new one.
    ///
    /// If `locks` says so, or the file system has no other locks, the lock is one of `flock(2)`: all
    /// processes that have a store of such a file system open must use the same kind.
    /// - Throws: Also `.malformed` if something there is not a file.
    package static func acquire(
        _ relativePath: String, in folder: Folder, wait: Duration = .zero, locks: FileLocks = .ranges
    ) throws(LinuxError) -> LockFile {
        let start = Monotonic.now
        let deadline = start + wait.wholeNanoseconds
        let takeoverEnd = max(deadline, start + takeover.wholeNanoseconds)
        while true {
            let file = try folder.openFile(relativePath, [.readWrite, .create])
            let (result, taken) = lock(file, locks)
            if result == -coffer_eagain {
                let owner = owner(in: file)
                if Monotonic.now >= (owner == nil ? takeoverEnd : deadline) {
                    throw .locked(path: folder.path(of: relativePath), owner: owner)
                }
                Monotonic.sleep(retryAfter)
                continue
            }
            try check(result, "fcntl(F_OFD_SETLK)", path: folder.path(of: relativePath))
            // The file may have been replaced between opening and locking; then the lock has no effect on
            // others.
            guard let named = try folder.facts(of: relativePath), try named.isSameFile(as: file.facts())
            else {
                continue
            }
            if named.linkCount > 1 {
                // It has another name, under which it has another owner, so its content is left as it is.
                // Those that wait for it see that it has gone.
                try folder.unlink(relativePath)
                continue
            }
            try check(
                writeLine("\(CurrentProcess.id)", in: file), "pwrite", path: folder.path(of: relativePath))
            return LockFile(file, locks: taken)
        }
    }

    private static func lock(_ file: OwnedDescriptor, _ locks: FileLocks) -> (Int32, FileLocks) {
        if locks != .wholeFiles {
            let result = coffer_lock_exclusively(file.number)
            // EINVAL is what file systems say that know only whole files.
            let hasNone = LinuxError.meansNoLocks(-result) || result == -coffer_einval
            if !hasNone { return (result, .ranges) }
        }
        return (coffer_lock_open_file(file.number), .wholeFiles)
    }

    deinit {
        // An empty line names no owner; the lock goes with the descriptor.
        _ = Self.writeLine("", in: descriptor)
    }

    /// Makes a text the first line, and gives what `pwrite` gave; what an older one had beyond it stays
    /// behind it.
    private static func writeLine(_ text: String, in file: OwnedDescriptor) -> Int {
        let bytes = Array((text + "\n").utf8)
        return unsafe coffer_write_at(file.number, bytes, bytes.count, 0)
    }

    /// The one that holds the lock of a file, which may be this process; `nil` while it is free.
    ///
    /// Nothing is written, and nothing locked. A lock of `flock(2)` is not seen.
    /// - Returns: The holder, whose pid is `nil` if it left none, or if the system does not tell whether
    ///   there is a lock; `nil` while the file is not there or not locked.
    /// - Throws: `.malformed` if something there is not a file, and the system's error if it cannot be read.
    package static func holder(
        of relativePath: String, in folder: Folder
    ) throws(LinuxError) -> (pid: Int32?, path: String)? {
        let file: OwnedDescriptor
        do throws(LinuxError) {
            file = try folder.openFile(relativePath)
        } catch {
            if error.isNotFound { return nil }
            throw error
        }
        guard coffer_is_locked(file.number) != 0 else { return nil }
        return (owner(in: file), folder.path(of: relativePath))
    }

    private static func owner(in file: OwnedDescriptor) -> Int32? {
        // What counts is that the lock is held: an owner that cannot be read is not an error.
        guard let bytes = try? file.read(upTo: 16, at: 0) else { return nil }
        return Int32(String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self))
    }
}

extension FileFacts {
    /// Whether both are facts of one file.
    package func isSameFile(as other: FileFacts) -> Bool {
        device == other.device && inode == other.inode
    }
}
