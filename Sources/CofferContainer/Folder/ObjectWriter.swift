internal import CofferLinux

/// Writes files whole into folders that other software carries.
struct ObjectWriter {
    /// Called between the steps of each.
    var onStep: @Sendable (FolderCarrier.WriteStep) -> Void = { _ in }
    /// Called before a file gets its name, if it did not have it.
    var willName: @Sendable () -> Void = {}

    /// Puts the file there, whole, as far as it is not there already.
    func put(_ bytes: [UInt8], as name: String, in folder: Folder) throws(LinuxError) {
        switch try Self.present(bytes, as: name, in: folder) {
        case .whole:
            // Its writer may have died before it was on the disk.
            try folder.openFile(name).synchronize()
            try folder.synchronize()
        case .absent:
            if let file = try UnnamedFile(in: folder) {
                onStep(.opened)
                try file.descriptor.writeAll(bytes)
                onStep(.written)
                willName()
                // Another process that put it there meanwhile may have put less of it there.
                if try !file.finish(as: name) { return try put(bytes, as: name, in: folder) }
                onStep(.named)
            } else {
                try replace(bytes, as: name, in: folder)
            }
        case .damaged: try replace(bytes, as: name, in: folder)
        }
    }

    /// What a name stands for already.
    private enum Presence {
        case absent
        case whole
        /// Something else: a name says what its bytes are, so they were cut short, or changed.
        case damaged
    }

    private static func present(
        _ bytes: [UInt8], as name: String, in folder: Folder
    ) throws(LinuxError) -> Presence {
        guard let facts = try folder.facts(of: name) else { return .absent }
        guard facts.kind == .file, facts.byteCount == bytes.count else { return .damaged }
        // What cannot be read is as good as damaged, as on a disk with bad blocks.
        return (try? folder.read(name, limit: bytes.count)) == bytes ? .whole : .damaged
    }

    /// Writes it beside the place under a name that folders' carriers pass over, and moves it there.
    private func replace(_ bytes: [UInt8], as name: String, in folder: Folder) throws(LinuxError) {
        let part = try PartFile(".~\(name).part", in: folder)
        do throws(LinuxError) {
            onStep(.opened)
            try part.descriptor.writeAll(bytes)
            onStep(.written)
            willName()
            try part.finish(as: name, replacing: true)
            onStep(.named)
        } catch {
            // The first error is the one to tell.
            try? part.remove()
            throw error
        }
    }
}
