// Of the two functions one may wait, and the compiler takes the one that fits its caller.
// swift-format-ignore-file: AmbiguousTrailingClosureOverload

package import CofferLinux

/// Lends the path of a new empty folder, which goes with all in it when `body` ends.
package func withTemporaryFolder<Result>(_ body: (String) throws -> Result) throws -> Result {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    return try body(folder.path)
}

/// Lends the path of a new empty folder, which goes with all in it when `body` ends.
package func withTemporaryFolder<Result>(_ body: (String) async throws -> Result) async throws -> Result {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    return try await body(folder.path)
}

/// A new empty folder for its owner only, which its owner removes.
package struct TemporaryFolder: Sendable {
    /// Where it is; short enough for the name of a socket in it.
    package let path: String
    private let name: String
    private let parent: Folder

    /// Makes a folder in `place` or, if none is given, in `TMPDIR` or `/tmp`.
    package init(in place: String? = nil) throws(LinuxError) {
        let place = place ?? CurrentProcess.environment["TMPDIR"] ?? "/tmp"
        parent = try Folder(at: place)
        name = "coffer-" + String(Randomness.words().0, radix: 36)
        path = "\(place)/\(name)"
        _ = try parent.makeFolders(name)
    }

    /// Removes it with all in it; what cannot be removed stays.
    package func remove() {
        // A process that is being killed may still write: the folder then gets another chance, and no third.
        do { try parent.removeAll(name) } catch { try? parent.removeAll(name) }
    }
}
