internal import CofferFormats
package import CofferLinux
package import CofferModel
internal import FoundationEssentials

/// A store whose file is written as a whole, while it is taken to another model: its objects are in a file of
/// SQLite in memory, where they are migrated as those of any other store.
///
/// Confined; used once. The file is locked, and only read until `publish` gives its name to a whole new one:
/// whatever dies leaves the old file or the new one.
package final class WholeFileMigration {
    /// The name of the store in memory.
    package let databaseName = StoreBacking.databaseName
    /// Where it is.
    package var databaseFolder: Folder { backing.memory.folder }

    private let folder: Folder
    private let fileName: String
    private let type: StoreType
    private let configuration: String
    private let options: StoreOptions
    private let lock: LockFile
    private let present: FileFacts
    private let bytes: [UInt8]
    private let uuid: UUID
    private let number: UInt64
    private let backups: [String: Int64]
    private let backing: StoreBacking
    private var path: String { folder.path(of: fileName) }

    /// Reads the store `fileName` in `folder` into memory.
    ///
    /// - Throws: `notFound`, `unknownModel` if it keeps none, `notAdopted` if another program made it and
    ///   it was not agreed to change that; what opening such a store does.
    package init(
        of fileName: String, in folder: Folder, as type: StoreType, configuration: String,
        options: StoreOptions
    ) throws(StoreError) {
        (self.fileName, self.folder, self.type) = (fileName, folder, type)
        (self.configuration, self.options) = (configuration, options.inMemory)
        let path = folder.path(of: fileName)
        lock = try StoreLock.acquire(
            fileName, in: folder, path: path, patience: options.patience)
        let facts = try translatingSystem { () throws(LinuxError) in try folder.facts(of: fileName) }
        guard let facts else { throw .notFound(path: path) }
        present = facts
        bytes = try translatingSystem { () throws(LinuxError) in
            try folder.read(fileName, limit: Limits.atomicFileBytes)
        }
        let content = try type.format.content(of: bytes, path: path)
        let metadata = try AtomicMetadata(content.metadata, path: path)
        guard let model = metadata.model ?? options.migration?.source else {
            throw .unknownModel(path: path)
        }
        guard metadata.isOwn || options.foreignFiles == .adopted else {
            throw .notAdopted(path: path, additions: AtomicMetadata.additions)
        }
        uuid = content.uuid ?? options.environment.makeUUID()
        (number, backups) = (metadata.number, metadata.backups)
        backing = try StoreBacking(
            type, path: path, seed: StoreBacking.Seed(uuid: uuid, metadata: metadata.metadata))
        let opening = BackedOpening(
            type: type, folder: folder, fileName: fileName, model: model, configuration: configuration,
            options: self.options)
        try opening.load(content, metadata, into: opening.open(backing, model: model, with: self.options))
    }

    /// Writes the objects of the store in memory, which have the new model by now, into a new file that takes
    /// the place of the old one.
    ///
    /// The store keeps its UUID unless its objects are new: ids of before must not mean others.
    ///
    /// - Parameters:
    ///   - model: The new model.
    ///   - areNew: Whether the objects have new keys, which may be those of others of another entity.
    ///   - keepsBackup: Whether the old file is kept beside it.
    /// - Returns: What became of the store.
    /// - Throws: `unsupported` if the new model has what the file cannot keep; `tooLarge`, `full`, `io`;
    ///   then the old file is there as it was.
    package func publish(
        as model: StoreModel, numbering areNew: Bool, keepingBackup keepsBackup: Bool
    ) throws(StoreError) -> MigrationCopy.Outcome {
        let migrated = try StoreFile.openDatabase(
            in: databaseFolder, fileName: databaseName, model: model, configuration: configuration,
            options: options)
        var copying = StoreCopy.Options()
        copying.opening = options
        let copy = try StoreCopy(of: migrated, as: type, options: copying)
        let today = options.environment.today
        let backup = keepsBackup ? try backupName() : nil
        var notes = backups.filter { !BackupNotes.isOld($0.value, today: today) }
        if let backup { notes[backup] = today }
        let (outcome, new) = try CopiedWholeFile(copy, fileName, in: folder)
            .bytes(as: areNew ? options.environment.makeUUID() : uuid, numbering: areNew, noting: notes)
        do throws(StoreError) {
            if let backup { try keepOld(as: backup) }
            try AtomicFile(
                fileName, in: folder, format: type.format, identity: present, lock: lock,
                fault: options.atomicFault
            ).publish(new).keep()
        } catch {
            // The first error is the one to tell.
            if let backup { _ = try? folder.unlink(backup) }
            throw error
        }
        // What is left of the old ones is only room.
        _ = try? BackupNotes.removingOld(backups, of: fileName, in: folder, today: today)
        return MigrationCopy.Outcome(number: outcome.number, backup: backup)
    }

    /// A name for the old file that nothing has but a copy of it: that is left of a migration that was
    /// killed.
    private func backupName() throws(StoreError) -> String {
        for name in BackupNotes.candidates(ofCopyOf: fileName, number: number) {
            let isFree = try translatingSystem { () throws(LinuxError) in
                guard let facts = try folder.facts(of: name) else { return true }
                guard facts.kind == .file, facts.byteCount == bytes.count else { return false }
                return try folder.read(name, limit: bytes.count) == bytes
            }
            if isFree { return name }
        }
        throw .alreadyExists(
            path: folder.path(of: BackupNotes.name(ofCopyOf: fileName, number: number)))
    }

    /// Keeps the old file under another name.
    private func keepOld(as name: String) throws(StoreError) {
        do throws(LinuxError) {
            let file = try folder.openBeneath(name, [.writeOnly, .create, .truncate])
            try file.writeAll(bytes)
            try file.synchronize()
        } catch {
            throw error.isFull ? .full(path: path) : StoreError(error)
        }
    }
}

extension StoreOptions {
    /// Those of a store in memory that stands for one of another type.
    package var inMemory: StoreOptions {
        var options = self
        options.type = .sqlite
        (options.mustExist, options.isReadOnly) = (false, false)
        options.vfs = nil
        options.byteLimit = min(byteLimit ?? .max, Limits.memoryBytes)
        if let migration {
            options.migration = MigrationOptions(
                keepsBackup: false, isAutomatic: migration.isAutomatic, mapping: migration.mapping)
        }
        return options
    }
}

extension StoreType {
    /// The type of a file that is written as a whole; `nil` if it is a file of SQLite, or is not there.
    package static func ofWholeFile(_ name: String, in folder: Folder) throws(StoreError) -> StoreType? {
        let isThere = try translatingSystem { () throws(LinuxError) in try folder.exists(name) }
        return isThere ? try StoreType(ofContent: name, in: folder) : nil
    }
}
