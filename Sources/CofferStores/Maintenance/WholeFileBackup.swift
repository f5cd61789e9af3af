internal import CofferFormats
internal import CofferLinux
internal import CofferModel

/// The copy of a store's file that is written as a whole: the file itself, as the last save has left it.
struct WholeFileBackup {
    private let file: StoreFile
    private let atomic: AtomicFile

    /// What copies a store; `nil` if it has no such file.
    init?(of file: StoreFile) {
        guard let atomic = file.backing?.file else { return nil }
        (self.file, self.atomic) = (file, atomic)
    }

    /// Writes the bytes into a new file; says which transaction they have, and how many there are.
    ///
    /// - Throws: `fileGone` if another program has put something else in its place; `damaged` if the file
    ///   is not what was written; `interrupted` if `progress` says so.
    func write(
        to part: PartFile, _ progress: (_ copied: Int, _ total: Int) -> Bool
    ) throws(StoreError) -> (number: UInt64, byteCount: Int) {
        let bytes = try read()
        guard progress(0, bytes.count) else { throw .interrupted }
        let content = try atomic.format.content(of: bytes, path: atomic.path)
        guard content.uuid == file.uuid else {
            throw .damaged(path: atomic.path, detail: "its UUID is another one than when it was opened")
        }
        let number = try AtomicMetadata(content.metadata, path: atomic.path).number
        do throws(LinuxError) { try part.descriptor.writeAll(bytes) } catch { throw StoreError(error) }
        guard progress(bytes.count, bytes.count) else { throw .interrupted }
        return (number, bytes.count)
    }

    private func read() throws(StoreError) -> [UInt8] {
        // A save may put another file there at any moment, each of them whole.
        for _ in 0..<Limits.wholeFileAttempts {
            guard let known = atomic.identity else { break }
            let (facts, bytes) = try translatingSystem { () throws(LinuxError) in
                let source = try atomic.folder.openFile(atomic.fileName)
                let facts = try source.facts()
                return (facts, try source.readAll(limit: Limits.atomicFileBytes))
            }
            if facts.isSameFile(as: known) { return bytes }
        }
        throw .fileGone(path: atomic.path, isLog: false)
    }
}
