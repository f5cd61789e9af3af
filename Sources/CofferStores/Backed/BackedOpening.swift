internal import CofferFormats
internal import CofferLinux
internal import CofferModel
internal import CofferSQLite
internal import CofferWire

/// The steps of opening a store whose file, if it has one, is not SQLite's.
struct BackedOpening {
    /// `nil` for an application's own.
    let type: StoreType?
    let folder: Folder
    let fileName: String
    let model: StoreModel?
    let configuration: String
    let options: StoreOptions

    private var format: any AtomicFormat { options.format ?? (type ?? .binary).format }
    var path: String { type == .memory ? "memory:\(fileName)" : folder.path(of: fileName) }

    func run() throws(StoreError) -> StoreFile {
        if type == .memory {
            let model = try requireMaking()
            return try open(StoreBacking(type, path: path), model: model, with: options)
        }
        if let source = options.source { return try open(source) }
        return try openFile()
    }

    /// Opens a database without objects, which come from `source`.
    private func open(_ source: any StoreSource) throws(StoreError) -> StoreFile {
        guard let model else { throw .unknownModel(path: source.path) }
        var options = options
        (options.mustExist, options.isReadOnly) = (false, false)  // The database is neither.
        guard let hashes = VersionHashes(of: model.model, configuration: configuration) else {
            throw .unknownConfiguration(configuration)
        }
        var metadata = StoreMetadata(
            hashes: hashes, versionIdentifiers: model.model.versionIdentifiers,
            frameworkVersion: StoreCreation.frameworkVersion)
        try metadata.apply(source.metadata.mapValues { MetadataValueMessage(propertyList: $0.propertyList) })
        return try open(
            StoreBacking(
                nil, path: source.path, seed: StoreBacking.Seed(uuid: source.uuid, metadata: metadata),
                source: source), model: model, with: options)
    }

    /// The model of a store that is made if there is none.
    private func requireMaking() throws(StoreError) -> StoreModel {
        guard !options.mustExist, !options.isReadOnly else { throw .notFound(path: path) }
        guard let model else { throw .unknownModel(path: path) }
        return model
    }

    /// Opens the database, which is made if it is not there.
    func open(
        _ backing: StoreBacking, model: StoreModel, with options: StoreOptions
    ) throws(StoreError) -> StoreFile {
        if type != .memory, backing.source == nil { try format.requireNames(of: model) }
        var options = options
        options.backing = backing
        options.migration = nil  // A file of another model is refused with what differs.
        options.byteLimit = min(options.byteLimit ?? .max, Limits.memoryBytes)
        return try StoreFile.openDatabase(
            in: backing.memory.folder, fileName: StoreBacking.databaseName, model: model,
            configuration: configuration, options: options)
    }
}

// MARK: Files

extension BackedOpening {
    private func openFile() throws(StoreError) -> StoreFile {
        var options = options
        if try facts() == nil { _ = try requireMaking() }
        var lock: LockFile?
        let hasLock = try folderHas(fileName + StoreFile.lockSuffix)
        let isNewlyLocked = !options.isReadOnly && !hasLock
        var isOpen = false
        defer {
            if isNewlyLocked, lock != nil, !isOpen {
                // A lock file that stays does no harm.
                _ = try? folder.unlink(fileName + StoreFile.lockSuffix)
            }
        }
        if !options.isReadOnly {
            if try isWritable() {
                lock = try acquireLock()
            } else if options.foreignFiles == .read {
                options.isReadOnly = true
            } else {
                throw .readOnly(path: path)
            }
        }
        guard let present = try facts() else {
            let store = try make(lock)
            isOpen = true
            return store
        }
        guard present.kind == .file else { throw .notAStore(path: path, detail: "it is not a regular file") }
        let bytes = try read(present)
        let content = try format.content(of: bytes, path: path)
        let metadata = try AtomicMetadata(content.metadata, path: path)
        if !options.isReadOnly, !metadata.isOwn, format.marksFiles {
            switch options.foreignFiles {
            case .adopted: break
            case .refused:
                throw .notAdopted(path: path, additions: AtomicMetadata.additions)
            case .read:
                options.isReadOnly = true
                // As above.
                if isNewlyLocked { _ = try? folder.unlink(fileName + StoreFile.lockSuffix) }
                lock = nil
            }
        }
        var known = model ?? metadata.model
        // No file is written by a guess.
        let isGuessed = known == nil && options.isReadOnly
        if isGuessed { known = try format.guessedModel(of: bytes, content, path: path) }
        guard let known else { throw .unknownModel(path: path) }
        let store = try fill(
            content, metadata, as: known, isGuessed: isGuessed, of: present, with: options, lock: lock)
        isOpen = true
        return store
    }

    /// Makes an empty store, and its file.
    private func make(_ lock: LockFile?) throws(StoreError) -> StoreFile {
        let model = try requireMaking()
        let file = try AtomicFile(
            fileName, in: folder, format: format, identity: nil, lock: lock, fault: options.atomicFault)
        let store = try open(StoreBacking(type, path: path, file: file), model: model, with: options)
        try store.makeWriter().changeContent()
        return store
    }

    /// Opens a new database with what a file has.
    ///
    /// It is filled before it is opened as `options` want it, so that all see the whole.
    private func fill(
        _ content: AtomicStoreContent, _ metadata: AtomicMetadata, as model: StoreModel, isGuessed: Bool,
        of present: FileFacts, with options: StoreOptions, lock: LockFile?
    ) throws(StoreError) -> StoreFile {
        let seed = StoreBacking.Seed(
            uuid: content.uuid ?? options.environment.makeUUID(), metadata: metadata.metadata)
        let file = try AtomicFile(
            fileName, in: folder, format: format, identity: present, lock: lock, fault: options.atomicFault)
        var metadata = metadata
        if lock != nil {
            metadata.backups = try BackupNotes.removingOld(
                metadata.backups, of: fileName, in: folder, today: options.environment.today)
        }
        let backing = try StoreBacking(type, path: path, seed: seed, file: file, isModelGuessed: isGuessed)
        var filling = options
        filling.isReadOnly = false
        filling.mustExist = false
        try load(content, metadata, into: try open(backing, model: model, with: filling))
        return try open(backing, model: model, with: options)
    }

    /// Writes what a file has into a new database, which is closed at the end.
    func load(
        _ content: AtomicStoreContent, _ metadata: AtomicMetadata, into store: StoreFile
    ) throws(StoreError) {
        let now = options.environment.now()
        let writer = try store.makeWriter()
        try writer.transaction { () throws(StoreError) in
            var loading = try AtomicLoading(content, number: metadata.number, into: writer)
            try loading.run(now: now)
            try writer.keep(metadata.replies, at: now)
            try translating { () throws(SQLiteError) in
                try FormerModels.keep(metadata.formerModels, on: writer.connection)
                try BackupNotes.keep(metadata.backups, on: writer.connection)
            }
            // Earlier tokens are too old: it is unknown which programs wrote the file since.
            _ = try writer.beginHistoryAnew(after: metadata.number + 1, now: now)
        }
    }
}

extension StoreWriter {
    /// Writes the file of an atomic store with what the database has.
    fileprivate func changeContent() throws(StoreError) {
        try transaction { changesContent = true }
    }
}

extension BackedOpening {
    private func facts() throws(StoreError) -> FileFacts? {
        try translatingSystem { () throws(LinuxError) in try folder.facts(of: fileName) }
    }

    private func isWritable() throws(StoreError) -> Bool {
        try translatingSystem { () throws(LinuxError) in
            if !folder.isWritable { return false }
            return try folder.exists(fileName) ? try folder.mayWrite(fileName) : true
        }
    }

    private func folderHas(_ name: String) throws(StoreError) -> Bool {
        try translatingSystem { () throws(LinuxError) in try folder.exists(name) }
    }

    private func read(_ facts: FileFacts) throws(StoreError) -> [UInt8] {
        guard facts.byteCount > 0 else { throw .notAStore(path: path, detail: "the file is empty") }
        guard facts.byteCount <= Limits.atomicFileBytes else {
            throw .tooLarge("'\(path)' has \(facts.byteCount) bytes, \(Limits.atomicFileBytes) are allowed")
        }
        return try translatingSystem { () throws(LinuxError) in
            try folder.read(fileName, limit: Limits.atomicFileBytes)
        }
    }

    private func acquireLock() throws(StoreError) -> LockFile {
        try StoreLock.acquire(fileName, in: folder, path: path, patience: options.patience)
    }
}
