import CofferLinux

/// Disks of their own for tests that fill them.
package enum SmallDisk {
    /// Whether this process may mount any; tests that need one are skipped if it may not.
    package static let isPermitted: Bool = {
        do {
            return try withTemporaryFolder { path in
                try lend(at: path, kilobytes: 64) { true }
            }
        } catch { return false }
    }()

    /// Mounts an empty disk at a folder until `body` ends.
    ///
    /// - Throws: `NotMounted`, and what `body` throws.
    package static func lend<Result>(
        at path: String, kilobytes: Int, _ body: () throws -> Result
    ) throws -> Result {
        let mount = try ChildProcess(
            "mount", arguments: ["-t", "tmpfs", "-o", "size=\(kilobytes)k", "coffer-test", path],
            errors: .discarded)
        guard try mount.waitForExit() == .code(0) else { throw NotMounted(path: path) }
        defer { _ = try? ChildProcess("umount", arguments: ["-l", path]).waitForExit() }
        return try body()
    }

    /// Makes a disk that is lent one that can only be read, or one that can be written again.
    package static func setReadOnly(_ isReadOnly: Bool, at path: String) throws {
        let mount = try ChildProcess(
            "mount", arguments: ["-o", isReadOnly ? "remount,ro" : "remount,rw", path], errors: .discarded)
        guard try mount.waitForExit() == .code(0) else { throw NotMounted(path: path) }
    }

    /// Shows a disk's folder at another path too, until it is detached there.
    package static func attach(_ folder: String, at path: String) throws {
        let mount = try ChildProcess("mount", arguments: ["--bind", folder, path], errors: .discarded)
        guard try mount.waitForExit() == .code(0) else { throw NotMounted(path: path) }
    }

    /// Takes away what is mounted at a path; what is open of it stays usable.
    package static func detach(_ path: String) throws {
        let unmount = try ChildProcess("umount", arguments: ["-l", path], errors: .discarded)
        guard try unmount.waitForExit() == .code(0) else { throw NotMounted(path: path) }
    }

    /// The disk could not be mounted.
    package struct NotMounted: Error {
        /// Where.
        package let path: String
    }
}
