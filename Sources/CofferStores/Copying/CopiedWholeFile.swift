internal import CofferFormats
internal import CofferLinux
internal import CofferModel
internal import CofferSQLite
internal import FoundationEssentials

/// The file, written as a whole, that a copy of a store becomes.
struct CopiedWholeFile {
    private let copy: StoreCopy
    private let fileName: String
    private let folder: Folder

    init(_ copy: StoreCopy, _ fileName: String, in folder: Folder) {
        (self.copy, self.fileName, self.folder) = (copy, fileName, folder)
    }

    private var path: String { folder.path(of: fileName) }

    func run(
        _ progress: @escaping StoreCopy.Progress, willFinish: () -> Void
    ) throws(StoreError) -> StoreCopy.Outcome {
        let lock = try StoreLock.acquire(fileName, in: folder, path: path, patience: .none)
        defer {
            // The lock file is for a process that opens the store; an older one is of a process that was
            // killed.
            _ = try? folder.unlink(fileName + StoreFile.lockSuffix)
            withExtendedLifetime(lock) {}
        }
        let (outcome, bytes) = try fill(progress)
        try check(bytes)
        guard progress(outcome.objectCount, outcome.objectCount) else { throw .interrupted }
        try CopyPlace.requireFree(fileName, in: folder)
        willFinish()
        try AtomicFile(
            fileName, in: folder, format: copy.type.format, identity: nil, lock: lock,
            fault: copy.options.opening.atomicFault
        ).publish(bytes).keep()
        return outcome
    }

    /// The bytes of a new file for the store `uuid`, with all that is in the one that is copied.
    ///
    /// - Parameters:
    ///   - uuid: What the store is called.
    ///   - areNew: Whether objects have the keys of others in other trees, and get new numbers.
    ///   - backups: The copies of the store that it notes.
    /// - Returns: What was made, and its bytes.
    /// - Throws: As `run` does.
    func bytes(
        as uuid: UUID, numbering areNew: Bool, noting backups: [String: Int64]
    ) throws(StoreError) -> (StoreCopy.Outcome, [UInt8]) {
        let made = try fill({ _, _ in true }, as: uuid, isNumbered: !areNew, noting: backups)
        try check(made.1)
        return made
    }

    private var opening: BackedOpening {
        var options = copy.options.opening
        options.type = copy.type
        return BackedOpening(
            type: copy.type, folder: folder, fileName: fileName, model: copy.file.model,
            configuration: copy.configuration, options: options)
    }

    /// Makes the database that the file is to hold, and the bytes of that.
    private func fill(
        _ progress: @escaping StoreCopy.Progress, as uuid: UUID? = nil, isNumbered: Bool? = nil,
        noting backups: [String: Int64] = [:]
    ) throws(StoreError) -> (StoreCopy.Outcome, [UInt8]) {
        let backing = try StoreBacking(
            copy.type, path: path, seed: uuid.map { StoreBacking.Seed(uuid: $0, metadata: nil) })
        let store = try opening.open(backing, model: copy.file.model, with: copy.options.opening)
        var dangling = 0
        var (outcome, bytes) = try copy.fill(
            store,
            shift: { source throws(StoreError) in
                try shift(of: source, isNumbered ?? (source.file.backing?.file != nil))
            }, progress,
            finish: { writer throws(StoreError) in
                dangling = try CopyReferences.removeDangling(of: store.schema, on: writer.connection)
                if uuid != nil { try keepFormerModels(on: writer) }
                try translating { () throws(SQLiteError) in
                    try BackupNotes.keep(backups, on: writer.connection)
                }
                return try backing.bytes(from: writer, copy.type.format, isPlain: copy.options.isPlain)
            })
        if dangling > 0 {
            outcome.leftOut.append("\(dangling) references are left out: the objects are not there")
        }
        return (outcome, bytes)
    }

    /// Objects of all trees are numbered together in such a file.
    private func shift(of source: CopySource, _ isNumbered: Bool) throws(StoreError) -> KeyShift {
        isNumbered ? KeyShift() : try KeyShift(joining: source.lastKeys())
    }

    private func keepFormerModels(on writer: StoreWriter) throws(StoreError) {
        let reader = try copy.file.makeReader()
        try translating { () throws(SQLiteError) in
            try FormerModels.keep(FormerModels.all(on: reader), on: writer.connection)
        }
    }

    /// Reads the bytes as they will be when the file is opened.
    private func check(_ bytes: [UInt8]) throws(StoreError) {
        guard bytes.count <= Limits.atomicFileBytes else {
            throw .tooLarge("the file would have \(bytes.count) bytes, \(Limits.atomicFileBytes) are allowed")
        }
        let content = try copy.type.format.content(of: bytes, path: path)
        let metadata = try AtomicMetadata(content.metadata, path: path)
        let scratch = try StoreBacking(copy.type, path: path)
        try opening.load(
            content, metadata,
            into: try opening.open(scratch, model: copy.file.model, with: copy.options.opening))
    }
}
