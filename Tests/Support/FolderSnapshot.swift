package import CofferLinux

/// All that a folder of files has: to see that nothing of it changed.
package struct FolderSnapshot: Equatable {
    /// One file.
    package struct File: Equatable {
        package let byteCount: Int
        package let modifiedNanoseconds: Int64
        package let inode: UInt64
        let bytes: [UInt8]
    }

    /// The files by name.
    package let files: [String: File]
    private let modifiedNanoseconds: Int64

    /// Reads the folder at `path`, whose files are not open: closing them here would take locks away.
    package init(of path: String) throws(LinuxError) {
        let folder = try Folder(at: path)
        var files: [String: File] = [:]
        for name in try folder.names() {
            guard let facts = try folder.facts(of: name) else { continue }
            files[name] = File(
                byteCount: facts.byteCount, modifiedNanoseconds: facts.modifiedNanoseconds,
                inode: facts.inode,
                bytes: facts.kind == .file ? try folder.read(name, limit: 1 << 30) : [])
        }
        self.files = files
        modifiedNanoseconds = try folder.descriptor.facts().modifiedNanoseconds
    }
}

extension FolderSnapshot: CustomStringConvertible {
    package var description: String {
        files.sorted { $0.key < $1.key }.map {
            "\($0.key): \($0.value.byteCount) bytes, written at \($0.value.modifiedNanoseconds)"
        }.joined(separator: "; ") + "; folder \(modifiedNanoseconds)"
    }
}
