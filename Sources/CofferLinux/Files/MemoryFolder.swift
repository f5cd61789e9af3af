/// A folder in memory that belongs to this process, and goes with all that is in it when this object goes.
///
/// Shared. It is on a file system of memory (`tmpfs`), so nothing in it reaches a disk but by swapping. What
/// a process left that was killed is removed by the next one of its user that makes such a folder.
package final class MemoryFolder: Sendable {
    /// The folder.
    package let folder: Folder
    private let base: Folder
    private let name: String
    private let lock: LockFile

    /// How the names of these folders begin.
    private static let prefix = "coffer-store-"
    /// What they are called before their owner has locked them.
    private static let newPrefix = ".coffer-store-"
    /// The file in each that its owner has locked.
    private static let lockName = "owner.lock"
    /// Looks once for what others left; running processes leave nothing.
    private static let sweep: Void = { for base in bases { removeAbandoned(in: base) } }()

    /// Makes a folder.
    ///
    /// - Throws: `.malformed` if there is no file system of memory, `.system` if there is no room in it.
    package init() throws(LinuxError) {
        Self.sweep
        guard let base = Self.bases.first else {
            throw .malformed(
                path: "/dev/shm", detail: "no file system of memory (tmpfs) can be written there")
        }
        let (high, low) = Randomness.words()
        let random = String(high, radix: 36) + String(low, radix: 36)
        let folder = try base.makeFolders(Self.newPrefix + random)
        do throws(LinuxError) {
            lock = try LockFile.acquire(Self.lockName, in: folder)
            // Processes that sweep see it from now on only.
            try base.rename(Self.newPrefix + random, to: Self.prefix + random, replacing: false)
        } catch {
            // The first error is the one to tell.
            try? base.removeAll(Self.newPrefix + random)
            throw error
        }
        name = Self.prefix + random
        self.base = base
        self.folder = folder
    }

    // What stays goes when the next such folder is made.
    deinit { try? base.removeAll(name) }

    /// Where such folders can be made: for all processes of the system, and else for those of the user.
    private static var bases: [Folder] {
        let paths = ["/dev/shm"] + [CurrentProcess.environment["XDG_RUNTIME_DIR"]].compactMap(\.self)
        return paths.compactMap { path in
            // A place that cannot be looked at is not used.
            guard let folder = try? Folder(at: path), folder.isWritable,
                (try? folder.fileSystem()) == .memory
            else { return nil }
            return folder
        }
    }

    /// Removes the folders that no process has locked any more.
    ///
    /// Those of other users are theirs. One that cannot be looked at or removed does no harm.
    private static func removeAbandoned(in base: Folder) {
        for name in (try? base.names()) ?? [] where name.hasPrefix(prefix) {
            // What cannot be looked at stays.
            guard (try? base.facts(of: name))?.owner == CurrentProcess.userID,
                let folder = try? base.folder(name),
                // A folder that is in use is locked.
                let lock = try? LockFile.acquire(lockName, in: folder)
            else { continue }
            // What stays is tried by the next process.
            try? base.removeAll(name)
            withExtendedLifetime(lock) {}
        }
    }
}
