internal import CLinux

/// Which locks a file system has.
package enum FileLocks: Equatable, Sendable {
    /// On parts of files, by `fcntl(2)`, as SQLite takes them.
    case ranges
    /// On whole files only, by `flock(2)`.
    case wholeFiles
    /// None at all.
    case none
}

extension Folder {
    /// Finds out which locks there are on the file system by taking some.
    ///
    /// They are taken on the file `name` if there is one, else on one that is made beside it for a moment.
    ///
    /// - Parameters:
    ///   - name: The lock file of a store, one component.
    ///   - mayMake: Whether something may be made; without, and without that file, it is taken to have all.
    /// - Returns: The best of those that it has.
    /// - Throws: `.malformed` if something there is not a file; also the reason why it cannot be opened.
    package func fileLocks(by name: String, mayMake: Bool) throws(LinuxError) -> FileLocks {
        if try exists(name) { return try FileLocks(on: openFile(name)) }
        guard mayMake else { return .ranges }
        let probe = name + "-probe"
        let file = try openFile(probe, [.readWrite, .create])
        // An empty file that stays does no harm.
        defer { _ = try? unlink(probe) }
        return try FileLocks(on: file)
    }
}

extension FileLocks {
    /// Those that a file's file system has, as taking some on the file tells.
    init(on file: OwnedDescriptor) throws(LinuxError) {
        let result = coffer_probe_range_lock(file.number)
        if result == 0 || result == -coffer_eagain {
            self = .ranges
            return
        }
        // EINVAL is what those say that know only whole files.
        guard LinuxError.meansNoLocks(-result) || result == -coffer_einval else {
            try check(result, "fcntl(F_OFD_SETLK)", path: "a lock file")
            self = .none
            return
        }
        let whole = coffer_lock_open_file(file.number)
        self = whole == 0 || whole == -coffer_eagain ? .wholeFiles : .none
    }
}
