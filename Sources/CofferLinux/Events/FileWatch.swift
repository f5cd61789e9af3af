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

    /// Something that happened to what is watched.
    package struct Event: Hashable, Sendable {
        /// What is watched.
        package let id: ID
        /// The name in the folder that it happened to; `nil` if it was the folder, or the file, itself.
        package let name: String?
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

    /// What is to be told, once; call it until it gives none.
    package func read() throws(LinuxError) -> [Event] {
        let size = Int(COFFER_WATCH_NAME)
        var numbers = [Int32](repeating: 0, count: Limits.watchEvents)
        var names = [CChar](repeating: 0, count: Limits.watchEvents * size)
        let count = unsafe numbers.withUnsafeMutableBufferPointer { numbers in
            unsafe names.withUnsafeMutableBufferPointer { names in
                unsafe coffer_watch_read(
                    descriptor.number, numbers.baseAddress, names.baseAddress, Int32(numbers.count))
            }
        }
        return (0..<Int(try check(count, "read"))).map { place in
            let name = names[(place * size)..<((place + 1) * size)].prefix { $0 != 0 }
            return Event(
                id: ID(number: numbers[place]),
                name: name.isEmpty ? nil : String(decoding: name.map(UInt8.init(bitPattern:)), as: UTF8.self))
        }
    }
}
