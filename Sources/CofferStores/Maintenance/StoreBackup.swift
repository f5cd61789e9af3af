internal import CofferFormats
package import CofferLinux
package import CofferSQLite
package import FoundationEssentials

/// A copy of a store as it is at one moment, made while others write.
///
/// A value; used once. The pages come from one reader's snapshot. It keeps the log from starting again
/// meanwhile, and makes no client wait. SQLite's backup goes on under it even if others commit. The copy is
/// read through, brought to the disk, and then gets its name: after a crash there is what was there before,
/// or the whole copy. It keeps the store's UUID, and has no log beside it.
package struct StoreBackup {
    /// What may differ between copies.
    package struct Options: Sendable {
        /// Whether a file of the copy's name gives way.
        package var replaces = false
        /// Whether values in files beside the store go into the copy itself; else they are copied beside it.
        package var isOneFile = false
        /// Folders of a service's stores, in which no copy is put.
        package var closedFolders: [Folder] = []
        /// Whether it is the service that makes the copy for itself, under a name of its own.
        package var isOwn = false

        package init() {}
    }

    /// What was made.
    package struct Outcome: Sendable {
        /// The store's UUID.
        package let uuid: UUID
        /// The last transaction in it.
        package let number: UInt64
        /// Bytes, with the files beside it.
        package let byteCount: Int
    }

    /// Carries out a check on a connection, which may be interrupted.
    package typealias Verifying = (
        _ connection: SQLiteConnection, _ check: () throws(StoreError) -> [String]
    ) throws(StoreError) -> [String]

    let file: StoreFile
    let folder: Folder
    let fileName: String
    let options: Options
    private let vfs: SQLiteVFS
    private var path: String { folder.path(of: fileName) }

    /// A copy of `file` that will be called `fileName` in `folder`.
    ///
    /// - Throws: `alreadyExists`; `unfitTarget` if what stands there is not a file, is the store itself or
    ///   is another store in use, if the name or the folder belongs to other stores, or if the values
    ///   beside the copy would be those beside the store.
    package init(
        of file: StoreFile, in folder: Folder, as fileName: String, options: Options = Options()
    ) throws(StoreError) {
        self.file = file
        self.folder = folder
        self.fileName = fileName
        self.options = options
        if file.isReadOnly {
            vfs = try translating { () throws(SQLiteError) in try SQLiteVFS() }
        } else {
            vfs = file.vfs
        }
        do throws(LinuxError) { try RelativePath.checkComponent(fileName) } catch {
            throw .malformedRequest("the copy's name: \(error)")
        }
        try checkPlace()
        try checkTarget()
    }

    /// Makes the copy.
    ///
    /// - Parameters:
    ///   - progress: Called at the beginning, now and then, and at the end of copying, with bytes copied and
    ///     in all; `false` stops it.
    ///   - verifying: Reads the copy through with what it is given, on a connection that it may interrupt.
    ///   - willFinish: Called when the copy is whole and has no name yet.
    /// - Returns: What was made; `nil` if a value's file went meanwhile, since a commit has dropped it:
    ///   then nothing is left.
    /// - Throws: `interrupted` if `progress` stopped it, `full`, `io`; `damaged` if the store is damaged;
    ///   then nothing is left, unless it was only the copy's name that could not be brought to the disk.
    package func run(
        _ progress: (_ copied: Int, _ total: Int) -> Bool = { _, _ in true },
        verifying: Verifying = { _, body throws(StoreError) in try body() }, willFinish: () -> Void = {}
    ) throws(StoreError) -> Outcome? {
        let part: PartFile
        do throws(LinuxError) { part = try PartFile(partName, in: folder) } catch {
            if case .locked = error { throw .copyUnderWay(path: path) }
            throw StoreError(error)
        }
        if let whole = WholeFileBackup(of: file) {
            return try run(whole, to: part, progress, willFinish: willFinish)
        }
        var values = BackupValues(from: file, to: fileName, in: folder)
        do throws(StoreError) {
            try copyPages(to: part, progress)
            guard try copyFiledValues(&values, of: part) else {
                try remove(part, values)
                return nil
            }
            let number = try verify(part, verifying)
            let byteCount = try translatingSystem { () throws(LinuxError) in
                try part.descriptor.facts().byteCount
            }
            willFinish()
            try takePlace(part)
            if options.replaces { values.removeOthers() }
            return Outcome(uuid: file.uuid, number: number, byteCount: byteCount + values.byteCount)
        } catch {
            try remove(part, values)
            throw ofStore(error)
        }
    }
}

extension StoreBackup {
    /// An error as one of the store: the copy is new, so what is damaged in it is damaged there.
    private func ofStore(_ error: StoreError) -> StoreError {
        switch error {
        case .damaged(path, let detail): .damaged(path: file.path, detail: detail)
        case .notAStore(path, let detail): .notAStore(path: file.path, detail: detail)
        default: error
        }
    }

    private func run(
        _ whole: WholeFileBackup, to part: PartFile, _ progress: (_ copied: Int, _ total: Int) -> Bool,
        willFinish: () -> Void
    ) throws(StoreError) -> Outcome {
        do throws(StoreError) {
            let (number, byteCount) = try whole.write(to: part, progress)
            willFinish()
            try takePlace(part)
            return Outcome(uuid: file.uuid, number: number, byteCount: byteCount)
        } catch {
            try remove(part, BackupValues(from: file, to: fileName, in: folder))
            throw error
        }
    }

    private var partName: String { Self.partName(of: fileName) }

    private static func partName(of fileName: String) -> String { ".\(fileName).part" }

    private func connect(
        _ mode: SQLiteConnection.Mode, to part: PartFile
    ) throws(StoreError) -> SQLiteConnection {
        let place = try translatingSystem { () throws(LinuxError) in try folder.procPath(partName) }
        return try translating { () throws(SQLiteError) in
            // If only whole files are locked, this one is already.
            let vfs = part.locks == .ranges ? vfs : try SQLiteVFS(locks: .none)
            let connection = try SQLiteConnection(
                path: place, name: path, keeping: folder, mode: mode, vfs: vfs)
            if mode == .readWrite {
                // Until it has its name it is not needed, and it is brought to the disk as a whole.
                _ = try connection.pragma("journal_mode", "MEMORY")
                _ = try connection.pragma("synchronous", "OFF")
            }
            return connection
        }
    }

    private func copyPages(
        to part: PartFile, _ progress: (_ copied: Int, _ total: Int) -> Bool
    ) throws(StoreError) {
        let source = try file.makeReader()
        let copy = try connect(.readWrite, to: part)
        try translating { () throws(SQLiteError) in
            let pageByteCount = Int(try source.pragma("page_size") ?? "") ?? Limits.pageByteCount
            try source.begin(.deferred)
            // The first read fixes the state; what SQLite reads for the copy is of the same transaction.
            let byteCount = (Int(try source.pragma("page_count") ?? "") ?? 0) * pageByteCount
            guard progress(0, byteCount) else { throw SQLiteError.interrupted }
            try source.backup(to: copy, pagesPerStep: Limits.backupPages) { remaining, _ in
                progress(byteCount - remaining * pageByteCount, byteCount)
            }
            guard progress(byteCount, byteCount) else { throw SQLiteError.interrupted }
            try source.rollback()
        }
        withExtendedLifetime(copy) {}
        // A file in WAL mode would have a log beside it once it is read: as SQLite's file format has it, 1
        // stands for the other mode.
        try translatingSystem { () throws(LinuxError) in try part.descriptor.writeAll([1, 1], at: 18) }
    }

    /// Brings along the values that are in files of their own.
    private func copyFiledValues(
        _ values: inout BackupValues, of part: PartFile
    ) throws(StoreError) -> Bool {
        if options.isOneFile { return try values.moveIn(to: try connect(.readWrite, to: part)) }
        return try values.copyBeside(those: try connect(.readOnly, to: part))
    }

    /// Reads the copy through; says its last transaction.
    private func verify(_ part: PartFile, _ verifying: Verifying) throws(StoreError) -> UInt64 {
        let connection = try connect(.readOnly, to: part)
        let problems = try verifying(connection) { () throws(StoreError) in
            try translating { () throws(SQLiteError) in try connection.integrityCheck() }
        }
        if let problem = problems.first {
            throw .damaged(path: file.path, detail: problem)
        }
        let facts = try StoreFacts(reading: connection, path: file.path)
        guard facts.uuid == file.uuid else {
            throw .damaged(path: file.path, detail: "its copy has another UUID")
        }
        return facts.lastTransaction
    }

    /// Whether values would be in the very files of the store's own, which go when the store drops them.
    private var sharesValues: Bool {
        get throws(StoreError) {
            if options.isOneFile || file.schema.externalColumns.isEmpty { return false }
            guard SupportFolder(of: fileName) == SupportFolder(of: file.fileName) else { return false }
            return try translatingSystem { () throws(LinuxError) in
                try folder.descriptor.facts().isSameFile(as: file.folder.descriptor.facts())
            }
        }
    }

    private func checkPlace() throws(StoreError) {
        if options.isOwn { return }
        try CopyPlace.check(fileName, in: folder, closedFolders: options.closedFolders)
    }

    private func checkTarget() throws(StoreError) {
        if try sharesValues {
            throw .unfitTarget(
                path: path,
                detail: "its values would be in the store's own folder: choose a name with another beginning")
        }
        let facts = try translatingSystem { () throws(LinuxError) in try folder.facts(of: fileName) }
        guard let facts else { return }
        guard facts.kind == .file else {
            throw .unfitTarget(
                path: path,
                detail: facts.kind == .folder
                    ? "it is a folder: name a file in it" : "it is not a regular file")
        }
        guard options.replaces else { throw .alreadyExists(path: path) }
        if facts.isSameFile(as: file.currentIdentity) {
            throw .unfitTarget(path: path, detail: "it is the store itself")
        }
        let log = try translatingSystem { () throws(LinuxError) in try folder.facts(of: fileName + "-wal") }
        if let log, log.byteCount > 0 {
            throw .unfitTarget(path: path, detail: "it has changes in a log beside it, as a store in use has")
        }
    }

    private func takePlace(_ part: PartFile) throws(StoreError) {
        try checkTarget()
        do throws(LinuxError) {
            var lock: LockFile?
            if options.replaces, try folder.exists(fileName + StoreFile.lockSuffix) {
                lock = try LockFile.acquire(fileName + StoreFile.lockSuffix, in: folder)
            }
            try StoreFile.removeLogs(of: fileName, in: folder)
            try part.finish(as: fileName, replacing: options.replaces)
            withExtendedLifetime(lock) {}
        } catch {
            throw error.isTaken ? .alreadyExists(path: path) : StoreError(error)
        }
    }

    private func remove(_ part: PartFile, _ values: BackupValues) throws(StoreError) {
        try translatingSystem { () throws(LinuxError) in
            // Once it has its name, it is a copy, and its values are to stay.
            if let named = try folder.facts(of: fileName),
                try named.isSameFile(as: part.descriptor.facts())
            {
                return
            }
            try part.remove()
            try values.remove()
        }
    }

    /// Removes what a crash has left of a copy that was to be called `fileName`, and the copy.
    package static func removeAll(of fileName: String, in folder: Folder) throws(StoreError) {
        try translatingSystem { () throws(LinuxError) in
            for name in [fileName, partName(of: fileName)] { try folder.unlink(name) }
        }
    }
}
