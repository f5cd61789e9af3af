internal import CLinux

/// A file that is being written under a name of its own, until it is whole.
///
/// Shared. No other code of any process writes a file of that name meanwhile: a lock of `flock(2)` sees to
/// that. It does not touch the locks that SQLite takes on the file. What a crash leaves is taken over by the
/// next object that wants the name.
package final class PartFile: Sendable {
    /// The file, for reading and writing.
    package let descriptor: OwnedDescriptor
    /// The name of the file in its folder.
    package let name: String
    /// Which locks others could take on it, beside that one: of whole files none.
    package let locks: FileLocks
    private let folder: Folder

    /// An empty file; a file that is there already, and is not in use, is emptied.
    ///
    /// - Throws: `.locked` if it is in use.
    package init(_ name: String, in folder: Folder) throws(LinuxError) {
        try RelativePath.checkComponent(name)
        while true {
            let file = try folder.openFile(name, [.readWrite, .create])
            let result = coffer_lock_open_file(file.number)
            if result == -coffer_eagain { throw .locked(path: folder.path(of: name), owner: nil) }
            try check(result, "flock", path: folder.path(of: name))
            // It may have become whole, and got another name, between opening and locking.
            guard let named = try folder.facts(of: name), try named.isSameFile(as: file.facts()) else {
                continue
            }
            if named.linkCount > 1 {
                // It has another name, under which it has another owner, so its content is left as it is.
                try folder.unlink(name)
                continue
            }
            try file.truncate(to: 0)
            (descriptor, self.name, self.folder) = (file, name, folder)
            locks = try FileLocks(on: file)
            return
        }
    }

    /// Gives it its name now that it is whole, and returns once all that is on the disk.
    ///
    /// - Throws: an error of which `isTaken` is true if the name is taken and `replacing` is not set.
    package func finish(as name: String, replacing: Bool) throws(LinuxError) {
        try descriptor.synchronize()
        try folder.rename(self.name, to: name, replacing: replacing)
        try folder.synchronize()
    }

    /// Takes it away.
    package func remove() throws(LinuxError) { try folder.unlink(name) }
}

extension OwnedDescriptor {
    /// Writes what `source` has from its beginning to its end at this file's place.
    package func writeAll(of source: OwnedDescriptor, pieceByteCount: Int = 1 << 20) throws(LinuxError) {
        var offset = 0
        while true {
            let piece = try source.read(upTo: pieceByteCount, at: offset)
            if piece.isEmpty { return }
            try writeAll(piece)
            offset += piece.count
        }
    }
}
