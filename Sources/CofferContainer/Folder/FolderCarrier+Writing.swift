internal import CofferLinux

extension FolderCarrier {
    package func put(_ object: ContainerObject) throws(CarrierError) {
        let (name, bytes) = object.packed()
        try reaching { () throws(LinuxError) in
            let components = try RelativePath.components(of: "\(path)/\(name)")
            let folder = try Folder(at: root).makeFolders(components.dropLast().joined(separator: "/"))
            try Self.put(bytes, as: components[components.count - 1], in: folder)
        }
    }

    /// Puts the file there, whole, as far as it is not there already.
    static func put(_ bytes: [UInt8], as name: String, in folder: Folder) throws(LinuxError) {
        switch try present(bytes, as: name, in: folder) {
        case .whole:
            // Whoever wrote it may have died before it was on the disk.
            try folder.openFile(name).synchronize()
            try folder.synchronize()
        case .absent:
            if let file = try UnnamedFile(in: folder) {
                try file.descriptor.writeAll(bytes)
                // Somebody who put it there meanwhile may have put less of it there.
                if try !file.finish(as: name) { try put(bytes, as: name, in: folder) }
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
        return try folder.read(name, limit: bytes.count) == bytes ? .whole : .damaged
    }

    /// Writes it beside the place under a name that folders' carriers pass over, and moves it there.
    private static func replace(_ bytes: [UInt8], as name: String, in folder: Folder) throws(LinuxError) {
        let part = try PartFile(".~\(name).part", in: folder)
        do throws(LinuxError) {
            try part.descriptor.writeAll(bytes)
            try part.finish(as: name, replacing: true)
        } catch {
            // The first error is the one to tell.
            try? part.remove()
            throw error
        }
    }

    package func remove(_ names: [ObjectName]) throws(CarrierError) {
        let folder = try folder()
        try reaching { () throws(LinuxError) in
            for name in names { try folder.unlink("\(name)") }
            try folder.synchronize()
        }
    }
}
