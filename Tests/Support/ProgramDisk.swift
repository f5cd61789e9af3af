import CofferLinux

/// Folders that a program shows (FUSE): what their file system can do is what the program passes on, which of
/// newer system calls is little.
package enum ProgramDisk {
    /// Whether `bindfs` is there and may show any; tests that need one are skipped if not.
    package static let isPermitted: Bool = {
        do {
            return try lend { _ in true }
        } catch { return false }
    }()

    /// Shows an empty folder at another path until `body` ends, which it is told.
    ///
    /// - Throws: `SmallDisk.NotMounted`, and what `body` throws.
    package static func lend<Result>(_ body: (_ path: String) throws -> Result) throws -> Result {
        try withTemporaryFolder { path in
            let folder = try Folder(at: path)
            for name in ["shown", "place"] { _ = try folder.makeFolders(name) }
            let place = "\(path)/place"
            let program = try ChildProcess(
                "bindfs", arguments: ["\(path)/shown", place], errors: .discarded)
            guard try program.waitForExit() == .code(0) else { throw SmallDisk.NotMounted(path: place) }
            defer { _ = try? ChildProcess("umount", arguments: ["-l", place]).waitForExit() }
            return try body(place)
        }
    }
}
