internal import CofferLinux
internal import FoundationEssentials

/// Large values on their way from a store into its copy: into rows, or into files beside the copy.
///
/// Confined. The files are written in their place at once, since no other process knows of the copy yet.
final class CopiedValues {
    private let source: StoreFile
    private let folder: Folder
    private let place: String
    private let makeUUID: @Sendable () -> UUID
    private var target: Folder?
    /// Bytes in files.
    private(set) var byteCount = 0

    /// Values of `source`, for a copy whose file is `fileName` in `folder`.
    init(of source: StoreFile, to fileName: String, in folder: Folder) {
        self.source = source
        self.folder = folder
        place = ExternalFiles(of: fileName, in: folder).place
        makeUUID = source.environment.makeUUID
    }

    /// The value in the copy's row for the value in the store's row; `nil`, and reported, if its file is
    /// missing.
    func copy(_ stored: [UInt8], onMissing: (String) -> Void) throws(StoreError) -> [UInt8]? {
        let value = try ExternalData.value(stored) { name throws(StoreError) in
            let bytes = try source.externalBytes(name)
            if bytes == nil { onMissing(name) }
            return bytes
        }
        guard let value else { return nil }
        if value.count <= Limits.inlineValueBytes { return ExternalData.inlineMark + value }
        let name = makeUUID().uuidString
        try translatingSystem { () throws(LinuxError) in
            if target == nil { target = try folder.makeFolders(place) }
            guard let target else { return }
            let file = try target.openBeneath(name, [.writeOnly, .create, .exclusive])
            try file.writeAll(value)
            try file.synchronize()
        }
        byteCount += value.count
        return ExternalData.stored(inFile: name)
    }

    /// Brings the names of the files to the disk.
    func synchronize() throws(StoreError) {
        try translatingSystem { () throws(LinuxError) in try target?.synchronize() }
    }
}
