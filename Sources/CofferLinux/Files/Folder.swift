internal import CLinux

/// A folder, and everything below it that can be reached without leaving it.
///
/// Shared: it holds an `O_PATH` descriptor. Paths given to it are relative, and are resolved with
/// `openat2(2)`: neither `..` nor symbolic links lead anywhere, and a rename meanwhile cannot lead outside.
package final class Folder: Sendable {
    /// The descriptor of the folder itself.
    package let descriptor: OwnedDescriptor
    /// The path of the folder when it was opened: for messages only.
    package let path: String

    /// The folder at `path`, which is trusted: symbolic links in it are followed.
    package init(at path: String) throws(LinuxError) {
        if path.utf8.contains(0) { throw .invalidPath(path, reason: .nul) }
        let flags = OpenFlags([.pathOnly, .directory]).rawValue
        descriptor = OwnedDescriptor(
            owning: try check(unsafe coffer_open(path, flags, 0), "open", path: path))
        self.path = path
    }

    /// The folder that a caller handed over; `path` is for messages.
    package init(_ descriptor: OwnedDescriptor, path: String) throws(LinuxError) {
        if try descriptor.facts().kind != .folder { throw .malformed(path: path, detail: "no folder") }
        self.descriptor = descriptor
        self.path = path
    }

    private init(checked descriptor: OwnedDescriptor, path: String) {
        self.descriptor = descriptor
        self.path = path
    }

    /// Opens the file at `relativePath`; `permissions` count if `.create` makes it.
    package func openBeneath(
        _ relativePath: String, _ flags: OpenFlags = [], permissions: UInt32 = 0o600
    ) throws(LinuxError) -> OwnedDescriptor {
        _ = try RelativePath.components(of: relativePath)
        let result = unsafe coffer_open_beneath(descriptor.number, relativePath, flags.rawValue, permissions)
        return OwnedDescriptor(owning: try check(result, "openat2", path: path(of: relativePath)))
    }

    /// Opens the regular file at `relativePath`, without waiting for another process; `permissions` count if
    /// `.create` makes it.
    ///
    /// - Throws: `.malformed` if it is something else, as a FIFO, which would wait for its other end.
    package func openFile(
        _ relativePath: String, _ flags: OpenFlags = [], permissions: UInt32 = 0o600
    ) throws(LinuxError) -> OwnedDescriptor {
        let file = try openBeneath(relativePath, flags.union(.nonBlocking), permissions: permissions)
        guard try file.facts().kind == .file else {
            throw .malformed(path: path(of: relativePath), detail: "it is not a regular file")
        }
        return file
    }

    /// Whether this process may make and remove names in the folder, as far as its permissions and its file
    /// system say.
    package var isWritable: Bool { unsafe coffer_may_write(descriptor.number, ".") == 0 }

    /// Whether this process may write the file `name`, one component, as far as its permissions and its file
    /// system say.
    package func mayWrite(_ name: String) throws(LinuxError) -> Bool {
        try RelativePath.checkComponent(name)
        return unsafe coffer_may_write(descriptor.number, name) == 0
    }

    /// Whether the folder is `other`, or somewhere in it.
    package func isWithin(_ other: Folder) throws(LinuxError) -> Bool {
        let wanted = try other.descriptor.facts()
        var (current, facts) = (descriptor, try descriptor.facts())
        while !facts.isSameFile(as: wanted) {
            let flags = OpenFlags([.pathOnly, .directory]).rawValue
            let result = unsafe coffer_open_at(current.number, "..", flags, 0)
            let above = OwnedDescriptor(owning: try check(result, "openat", path: path))
            let next = try above.facts()
            if next.isSameFile(as: facts) { return false }
            (current, facts) = (above, next)
        }
        return true
    }

    /// The folder at `relativePath`.
    package func folder(_ relativePath: String) throws(LinuxError) -> Folder {
        let found = try openBeneath(relativePath, [.pathOnly, .directory])
        return Folder(checked: found, path: path(of: relativePath))
    }

    /// The folder at `relativePath`; it and all folders above it are made if they are missing, each for its
    /// owner only.
    ///
    /// Folders that are made are on the disk when this returns.
    package func makeFolders(_ relativePath: String) throws(LinuxError) -> Folder {
        var folder = self
        for component in try RelativePath.components(of: relativePath) {
            folder = try folder.makeFolder(component)
        }
        return folder
    }

    /// The folder at `path`; it and all folders above it are made if they are missing, each for its owner
    /// only.
    ///
    /// Links to folders that exist are followed: it is for paths of the user who runs the process, such as
    /// those from its environment.
    package static func make(at path: String) throws(LinuxError) -> Folder {
        var missing: [Substring] = []
        var present = path.split(separator: "/")
        while true {
            do throws(LinuxError) {
                let folder = try Folder(at: "/" + present.joined(separator: "/"))
                return missing.isEmpty ? folder : try folder.makeFolders(missing.joined(separator: "/"))
            } catch {
                guard error.isNotFound, let last = present.popLast() else { throw error }
                missing.insert(last, at: 0)
            }
        }
    }

    private func makeFolder(_ name: String) throws(LinuxError) -> Folder {
        do throws(LinuxError) {
            return try folder(name)
        } catch {
            guard error.isNotFound else { throw error }
        }
        let result = unsafe coffer_make_folder(descriptor.number, name, 0o700)
        // Another thread or process may have made it meanwhile.
        if result != -coffer_eexist {
            try check(result, "mkdirat", path: path(of: name))
            try synchronize()
        }
        return try folder(name)
    }

    /// Where `name`, one component, is for code that takes paths only: good while this object lives.
    package func procPath(_ name: String) throws(LinuxError) -> String {
        try RelativePath.checkComponent(name)
        return "/proc/self/fd/\(descriptor.number)/\(name)"
    }

    /// Returns once the names in the folder are on the disk; `fsync(2)`.
    package func synchronize() throws(LinuxError) {
        let flags = OpenFlags.directory.rawValue
        let readable = OwnedDescriptor(
            owning: try check(unsafe coffer_open_at(descriptor.number, ".", flags, 0), "openat", path: path))
        try check(coffer_sync(readable.number, 0), "fsync", path: path)
    }

    /// What kind of file system the folder is on.
    package func fileSystem() throws(LinuxError) -> FileSystemKind {
        var type: Int64 = 0
        try check(unsafe coffer_file_system_type(descriptor.number, &type), "fstatfs", path: path)
        return FileSystemKind(type: type)
    }

    /// How many bytes may still be written to the file system that the folder is on, as far as that can be
    /// said beforehand.
    package func freeByteCount() throws(LinuxError) -> Int {
        var bytes: Int64 = 0
        try check(unsafe coffer_file_system_room(descriptor.number, &bytes), "fstatvfs", path: path)
        return Int(bytes)
    }

    /// The path at which `relativePath` was, for messages.
    package func path(of relativePath: String) -> String {
        path == "/" ? "/\(relativePath)" : "\(path)/\(relativePath)"
    }
}
