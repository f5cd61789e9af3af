internal import CLinux

/// Tells when a writer has closed a file, when the file was renamed, replaced or deleted, and which folders
/// got or lost names; `inotify(7)`.
///
/// Shared. It tells of this process too.
package final class FileWatch: Sendable {
    /// One file that is watched.
    package struct ID: Hashable, Sendable {
        fileprivate let number: Int32

        /// What is told if too much happened to tell of: of anything that is watched something may be
        /// missing.
        package static let overflow = ID(number: -1)
    }

    private let descriptor: OwnedDescriptor

    /// Watches nothing yet.
    package init() throws(LinuxError) {
        descriptor = OwnedDescriptor(owning: try check(coffer_watch_create(), "inotify_init1"))
    }

    /// The descriptor to watch; readable while there is something to tell.
    package var number: Int32 { descriptor.number }

    /// Watches the file of a folder; of one file always the same id.
    package func add(_ name: String, in folder: Folder) throws(LinuxError) -> ID {
        let path = try folder.procPath(name)
        let watch = unsafe coffer_watch_add(descriptor.number, path)
        return ID(number: try check(watch, "inotify_add_watch", path: folder.path + "/" + name))
    }

    /// Watches which names come to a folder and go from it; of one folder always the same id.
    package func add(namesIn folder: Folder) throws(LinuxError) -> ID {
        let watch = unsafe coffer_watch_add_names(
            descriptor.number, "/proc/self/fd/\(folder.descriptor.number)")
        return ID(number: try check(watch, "inotify_add_watch", path: folder.path))
    }

    /// Stops watching a file; one that is gone is no longer watched anyway.
    package func remove(_ id: ID) {
        _ = coffer_watch_remove(descriptor.number, id.number)
    }

    /// The files of which something is to be told, once; call it until it gives none.
    package func read() throws(LinuxError) -> Set<ID> {
        var numbers = [Int32](repeating: 0, count: Limits.watchEvents)
        let count = unsafe numbers.withUnsafeMutableBufferPointer {
            unsafe coffer_watch_read(descriptor.number, $0.baseAddress, Int32($0.count))
        }
        return Set(numbers.prefix(Int(try check(count, "read"))).map { ID(number: $0) })
    }
}
