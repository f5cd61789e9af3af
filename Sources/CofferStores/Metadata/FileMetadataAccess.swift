internal import CofferFormats
internal import CofferLinux
internal import CofferModel
internal import CofferSQLite
internal import CofferWire
internal import FoundationEssentials

/// One reading or writing of what a file says of itself.
///
/// Confined; used once.
struct FileMetadataAccess {
    private var opening: StoreOpening
    private let type: StoreType
    private var fileName: String { opening.fileName }
    private var folder: Folder { opening.folder }
    private var path: String { opening.path }

    init(_ fileName: String, in folder: Folder, type wanted: StoreType?) throws(StoreError) {
        var options = StoreOptions()
        options.mustExist = true
        opening = try StoreOpening(
            folder, fileName, configuration: ManagedObjectModel.defaultConfiguration, options: options)
        guard try opening.isThere() else { throw .notFound(path: opening.path) }
        try opening.checkCompanions()
        // Closing a file of SQLite here would take away the locks that this process has on it.
        let isDatabase = try Self.isDatabase(opening)
        if isDatabase {
            type = .sqlite
        } else if let found = try StoreType(ofContent: fileName, in: folder) {
            type = found
        } else {
            throw .notAStore(path: opening.path, detail: "it is not a store of any type")
        }
        if let wanted, wanted != type { throw .otherType(path: opening.path, is: type) }
    }

    private static func isDatabase(_ opening: StoreOpening) throws(StoreError) -> Bool {
        do throws(StoreError) {
            let connection = try sealed(opening)
            _ = try translating { () throws(SQLiteError) in try connection.pragma("page_count") }
            return true
        } catch .notAStore {
            return false
        }
    }

    /// A connection that writes nothing.
    private static func sealed(_ opening: StoreOpening) throws(StoreError) -> SQLiteConnection {
        let vfs = try translating { () throws(SQLiteError) in try SQLiteVFS(isSealed: true) }
        return try opening.connect(.readOnly, through: vfs)
    }

    func read() throws(StoreError) -> FileMetadata {
        if type == .sqlite {
            return Self.metadata(of: try StoreFacts(reading: try Self.sealed(opening), path: path))
        }
        let (content, _) = try readContent()
        return try metadata(of: content)
    }

    mutating func lock() throws(StoreError) -> Bool {
        guard try opening.isWritable() else { throw .readOnly(path: path) }
        return try opening.acquireLock()
    }

    func write(
        _ changes: [String: MetadataValueMessage?], adopts: Bool
    ) throws(StoreError) -> FileMetadata {
        // This check comes before anything changes beside a file that may not be written without consent.
        let isOwn = try isOwn()
        if !isOwn, !adopts {
            throw .notAdopted(path: path, additions: ["the values given, among the store's metadata"])
        }
        var access = self
        let isNewlyLocked = try access.lock()
        // If nothing of Coffer's is in a file, nothing of Coffer's stays beside it.
        defer {
            if isNewlyLocked, !isOwn { _ = try? folder.unlink(fileName + StoreFile.lockSuffix) }
            withExtendedLifetime(access) {}
        }
        if type == .sqlite { return try writeDatabase(changes) }
        let (content, bytes) = try readContent()
        return try writeFile(changes, to: content, bytes: bytes, lock: access.opening.lock)
    }

    private func isOwn() throws(StoreError) -> Bool {
        if type == .sqlite { return try opening.isOwn(Self.sealed(opening)) }
        return AtomicMetadata.isOwn(try readContent().content.metadata)
    }
}

// MARK: Databases

extension FileMetadataAccess {
    private static func metadata(of facts: StoreFacts) -> FileMetadata {
        FileMetadata(
            type: .sqlite, uuid: facts.uuid, values: facts.metadata.values,
            versionHashes: facts.metadata.versionHashes)
    }

    private func writeDatabase(
        _ changes: [String: MetadataValueMessage?]
    ) throws(StoreError) -> FileMetadata {
        let keepsLog = try translatingSystem { () throws(LinuxError) in try folder.exists(fileName + "-wal") }
        let connection = try opening.connect(.readWrite, through: opening.vfs)
        try translating { () throws(SQLiteError) in
            // A log that was there stays; one that was not goes with the connection.
            if keepsLog { try connection.disableCheckpointOnClose() }
            _ = try connection.pragma("synchronous", "full")
            try connection.begin(.immediate)
        }
        var facts = try StoreFacts(reading: connection, path: path)
        if let trigger = try connection.triggerOfMetadata() { throw .unknownSQL(path: path, item: trigger) }
        try facts.metadata.apply(changes)
        try facts.metadata.write(to: connection)
        try translating { () throws(SQLiteError) in try connection.commit() }
        return Self.metadata(of: facts)
    }
}

extension SQLiteConnection {
    /// What would run when the metadata change; `nil` if nothing would.
    fileprivate func triggerOfMetadata() throws(StoreError) -> String? {
        try translating { () throws(SQLiteError) in
            let statement = try prepare(
                "SELECT name FROM sqlite_master WHERE type = 'trigger' "
                    + "AND tbl_name = 'Z_METADATA' COLLATE NOCASE LIMIT 1")
            return try statement.step() ? "the trigger '\(statement.text(0))'" : nil
        }
    }
}

// MARK: Files that are written as a whole

extension FileMetadataAccess {
    private func readContent() throws(StoreError) -> (content: AtomicStoreContent, bytes: [UInt8]) {
        let bytes = try translatingSystem { () throws(LinuxError) in
            try folder.read(fileName, limit: Limits.atomicFileBytes)
        }
        return (try type.format.content(of: bytes, path: path), bytes)
    }

    private func metadata(of content: AtomicStoreContent) throws(StoreError) -> FileMetadata {
        guard let uuid = content.uuid else { throw .damaged(path: path, detail: "it has no UUID") }
        let hashes = content.metadata["NSStoreModelVersionHashes"]?.dictionary ?? [:]
        return FileMetadata(
            type: type, uuid: uuid, values: ApplicationMetadata(content.metadata).values,
            versionHashes: hashes.compactMapValues(\.data))
    }

    private func writeFile(
        _ changes: [String: MetadataValueMessage?], to content: AtomicStoreContent, bytes: [UInt8],
        lock: LockFile?
    ) throws(StoreError) -> FileMetadata {
        var metadata = ApplicationMetadata(content.metadata)
        try metadata.apply(changes)
        let shared = metadata.list.filter { !AtomicMetadata.ownKeys.contains($0.key) }
        try ApplicationMetadata.requireReadable(BinaryPropertyListWriter.bytes(of: .dictionary(shared)))
        var changed = content
        changed.metadata = metadata.list
        let written: [UInt8]
        do throws(FormatError) {
            // The objects stay as they are written, since nothing here says what they mean.
            written =
                type == .xml
                ? try XMLStoreWriter.replacingMetadata(of: bytes, with: changed.metadata, file: path)
                : try BinaryStoreWriter.bytes(of: changed, file: path)
        } catch {
            throw StoreError(error, path: path)
        }
        let result = try type.format.content(of: written, path: path)
        guard result.objects == content.objects, result.uuid == content.uuid else {
            throw .unadoptable(path: path, detail: "its metadata cannot be written apart from its objects")
        }
        let identity = try translatingSystem { () throws(LinuxError) in try folder.facts(of: fileName) }
        let file = try AtomicFile(
            fileName, in: folder, format: type.format, identity: identity, lock: lock, fault: nil)
        try file.publish(written).keep()
        return try self.metadata(of: result)
    }
}
