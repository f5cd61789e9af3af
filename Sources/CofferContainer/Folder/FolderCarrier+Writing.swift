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
        let root = try writableRoot()
        try reaching(toWrite: true) { () throws(LinuxError) in
            let (folder, file) = try place(root, name)
            if name.hash == nil, try Self.isThere(object, as: file, in: folder) { return }
            let writer = ObjectWriter(onStep: onStep) { [ownNames] in ownNames.note(name) }
            try writer.put(bytes, as: file, in: folder)
            traffic?.noteSent(bytes.count)
        }
    }

    /// Whether an object is there that another peer made, which says as much.
    ///
    /// The name of a marker says which container it is of, and not which peer made it: they differ, and
    /// either will do.
    private static func isThere(
        _ object: ContainerObject, as name: String, in folder: Folder
    ) throws(LinuxError) -> Bool {
        guard let facts = try folder.facts(of: name), facts.kind == .file,
            facts.byteCount <= Limits.objectByteCount,
            // What cannot be read is put there again.
            let present = try? ContainerObject(reading: folder.read(name, limit: facts.byteCount))
        else { return false }
        return present.identity == object.identity
    }

    package func remove(_ names: [ObjectName]) throws(CarrierError) {
        let folder = try folder()
        try reaching(toWrite: true) { () throws(LinuxError) in
            for name in names {
                ownNames.note(name)
                try folder.unlink("\(name)")
            }
            try folder.synchronize()
        }
    }
}
