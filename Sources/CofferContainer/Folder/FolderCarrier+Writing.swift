internal import CofferLinux

extension FolderCarrier {
    package func put(_ object: ContainerObject) throws(CarrierError) {
        try put(object) { (root, name) throws(LinuxError) in
            let components = try RelativePath.components(of: "\(self.path)/\(name)")
            let folder = try root.makeFolders(components.dropLast().joined(separator: "/"))
            return (folder, components[components.count - 1])
        }
    }

    package func putRootMarker(_ object: ContainerObject) throws(CarrierError) {
        try put(object) { (root, name) throws(LinuxError) in (root, "\(name)") }
    }

    /// Puts an object there in the folder, and under the name, that `place` gives for the root and its name.
    private func put(
        _ object: ContainerObject, _ place: (Folder, ObjectName) throws(LinuxError) -> (Folder, String)
    ) throws(CarrierError) {
        let (name, bytes) = object.packed()
        do throws(ObjectFault) {
            try object.checkSize(packed: bytes.count)
        } catch {
            guard case .tooLarge(let byteCount, let limit) = error else { return }
            throw .tooLarge(name, byteCount: Int(clamping: byteCount), limit: limit)
        }
        try reaching(toWrite: true) { () throws(LinuxError) in
            let (folder, file) = try place(Folder(at: root), name)
            if case .marker = object.identity, try Self.hasMarker(object, as: file, in: folder) { return }
            try put(bytes, as: file, in: folder)
        }
    }

    /// Whether a marker is there that another peer made, which says as much.
    ///
    /// Its name says which container it is of, and not who made it: markers differ, and either will do. Only
    /// one that says that the content was removed takes another's place.
    private static func hasMarker(
        _ object: ContainerObject, as name: String, in folder: Folder
    ) throws(LinuxError) -> Bool {
        guard let facts = try folder.facts(of: name), facts.kind == .file,
            facts.byteCount <= Limits.objectByteCount,
            let present = try? ContainerObject(reading: folder.read(name, limit: facts.byteCount)),
            present.identity == object.identity
        else { return false }
        let isRemoved = { (marker: ContainerObject) in
            (try? MarkerContent(reading: marker.content))?.isRemoved ?? false
        }
        return isRemoved(present) || !isRemoved(object)
    }

    /// Puts the file there, whole, as far as it is not there already.
    private func put(_ bytes: [UInt8], as name: String, in folder: Folder) throws(LinuxError) {
        switch try Self.present(bytes, as: name, in: folder) {
        case .whole:
            // Whoever wrote it may have died before it was on the disk.
            try folder.openFile(name).synchronize()
            try folder.synchronize()
        case .absent:
            if let file = try UnnamedFile(in: folder) {
                onStep(.opened)
                try file.descriptor.writeAll(bytes)
                onStep(.written)
                // Somebody who put it there meanwhile may have put less of it there.
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
        return try folder.read(name, limit: bytes.count) == bytes ? .whole : .damaged
    }

    /// Writes it beside the place under a name that folders' carriers pass over, and moves it there.
    private func replace(_ bytes: [UInt8], as name: String, in folder: Folder) throws(LinuxError) {
        let part = try PartFile(".~\(name).part", in: folder)
        do throws(LinuxError) {
            onStep(.opened)
            try part.descriptor.writeAll(bytes)
            onStep(.written)
            try part.finish(as: name, replacing: true)
            onStep(.named)
        } catch {
            // The first error is the one to tell.
            try? part.remove()
            throw error
        }
    }

    package func remove(_ names: [ObjectName]) throws(CarrierError) {
        let folder = try folder()
        try reaching(toWrite: true) { () throws(LinuxError) in
            for name in names { try folder.unlink("\(name)") }
            try folder.synchronize()
        }
    }
}
