internal import CLinux

/// A file without a name until it is whole: if it never is, nothing is left of it, not even by a crash.
///
/// Shared.
package final class UnnamedFile: Sendable {
    /// The file, for reading and writing.
    package let descriptor: OwnedDescriptor
    private let folder: Folder

    /// An empty file on the file system of `folder`; `nil` if that has no files without names.
    package init?(in folder: Folder) throws(LinuxError) {
        let result = coffer_open_unnamed(folder.descriptor.number, 0o600)
        if result == -coffer_eopnotsupp || result == -coffer_eisdir || result == -coffer_enoent { return nil }
        descriptor = OwnedDescriptor(
            owning: try check(result, "open(O_TMPFILE)", path: folder.path))
        self.folder = folder
    }

    /// Gives it the name, one component, and returns once all that is on the disk; says whether the name was
    /// free.
    package func finish(as name: String) throws(LinuxError) -> Bool {
        try RelativePath.checkComponent(name)
        try descriptor.synchronize()
        let result = unsafe coffer_link_open_file(descriptor.number, folder.descriptor.number, name)
        if result == -coffer_eexist { return false }
        try check(result, "linkat", path: folder.path(of: name))
        try folder.synchronize()
        return true
    }
}
