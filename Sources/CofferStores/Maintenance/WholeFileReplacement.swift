internal import CofferFormats
package import CofferLinux
package import CofferModel
internal import CofferSQLite
package import FoundationEssentials

/// A file that is about to take the place of a store whose file is written as a whole.
///
/// A value. Its graph was read, for the model of the clients that have the store open.
package struct WholeFileReplacement: StoreExchange {
    private let content: AtomicStoreContent
    private let model: ManagedObjectModel
    private let type: StoreType
    private let fileName: String
    private let folder: Folder
    package let uuid: UUID
    private let fault: (@Sendable (AtomicStep) -> Int32?)?

    /// Reads `source`, which is to be what the store `fileName` is in `folder`.
    ///
    /// - Parameters:
    ///   - source: A regular file that can be read.
    ///   - type: How the store keeps its objects.
    ///   - fileName: The store's file; there may be none.
    ///   - folder: Where that is.
    ///   - model: That of the clients that have the store open; `nil`: the one that the file keeps.
    ///   - configuration: The configuration that the store keeps.
    ///   - options: How the file is opened to look at it, and where writing it is to fail.
    /// - Throws: `notAStore`, `damaged`, `unknownModel` or `incompatible` for a file that is not a store of
    ///   the type, or not one for `model`; `tooLarge`; `io`.
    package init(
        _ source: OwnedDescriptor, of type: StoreType, replacing fileName: String, in folder: Folder,
        model: StoreModel?, configuration: String, options: StoreOptions = StoreOptions()
    ) throws(StoreError) {
        let bytes = try translatingSystem { () throws(LinuxError) -> [UInt8] in
            let byteCount = try source.facts().byteCount
            if byteCount > Limits.atomicFileBytes { return [] }
            return try source.read(upTo: byteCount, at: 0)
        }
        guard !bytes.isEmpty else {
            throw .notAStore(
                path: "", detail: "it is empty, or has more than \(Limits.atomicFileBytes) bytes")
        }
        guard BinaryStoreFormat.recognises(bytes) == (type == .binary),
            type != .xml || XMLStoreReader.recognises(bytes)
        else { throw .notAStore(path: "", detail: "it is not of the store's type, \(type.rawValue)") }
        var content = try type.format.content(of: bytes, path: "")
        let metadata = try AtomicMetadata(content.metadata, path: "")
        guard let model = model ?? metadata.model else { throw .unknownModel(path: "") }
        guard metadata.isOwn else { throw .notAdopted(path: "", additions: AtomicMetadata.additions) }
        let uuid = content.uuid ?? options.environment.makeUUID()
        // All of it, as an opening reads it.
        let opening = BackedOpening(
            type: type, folder: folder, fileName: fileName, model: model, configuration: configuration,
            options: options)
        let seed = StoreBacking.Seed(uuid: uuid, metadata: metadata.metadata)
        let backing = try StoreBacking(type, path: "", seed: seed)
        try opening.load(content, metadata, into: try opening.open(backing, model: model, with: options))
        // XML has other names of entities and properties than the model.
        let store = try opening.open(backing, model: model, with: options)
        content.objects = try AtomicGraph(of: try store.makeWriter()).objects()
        (self.content, self.type, self.fileName, self.folder) = (content, type, fileName, folder)
        (self.model, self.uuid, fault) = (model.model, uuid, options.atomicFault)
    }

    package func takePlace(now: Double) throws(StoreError) -> UInt64 {
        let lock = try StoreLock.acquire(
            fileName, in: folder, path: folder.path(of: fileName),
            patience: .replacement)
        let path = folder.path(of: fileName)
        let present = try translatingSystem { () throws(LinuxError) in try folder.facts(of: fileName) }
        var content = content
        content.uuid = uuid
        if let present {
            guard present.kind == .file else {
                throw .notAStore(path: path, detail: "it is not a regular file")
            }
            try follow(&content, path: path)
        }
        let bytes = try type.format.bytes(of: content, model, path: path)
        let file = try AtomicFile(
            fileName, in: folder, format: type.format, identity: present, lock: lock, fault: fault)
        try file.publish(bytes).keep()
        withExtendedLifetime(lock) {}
        // The next opening begins behind that, see `BackedOpening.load`.
        return try AtomicMetadata(content.metadata, path: path).number + 2
    }

    /// Makes numbers of transactions and of objects go on behind those of the file that goes.
    private func follow(_ content: inout AtomicStoreContent, path: String) throws(StoreError) {
        let old: AtomicStoreContent
        do throws(StoreError) {
            let bytes = try translatingSystem { () throws(LinuxError) in
                try folder.read(fileName, limit: Limits.atomicFileBytes)
            }
            old = try type.format.content(of: bytes, path: path)
        } catch {
            // To be replaced may be the cure of a file that cannot be read.
            guard case .damaged = error else { throw error }
            let metadata = try AtomicMetadata(content.metadata, path: path)
            content.metadata = AtomicMetadata.values(
                content.metadata, number: max(metadata.number, Limits.unreadableHistory))
            return
        }
        let numbers = (
            try AtomicMetadata(content.metadata, path: path).number,
            try AtomicMetadata(old.metadata, path: path).number
        )
        content.metadata = AtomicMetadata.values(content.metadata, number: max(numbers.0, numbers.1) + 1)
        if old.uuid == content.uuid {
            content.lastObjectNumber = max(content.lastObjectNumber ?? 0, old.lastObjectNumber ?? 0)
        }
    }
}
