internal import CofferFormats
package import CofferLinux
internal import CofferModel
internal import CofferSQLite

extension StoreFile {
    /// What the name of the lock file has behind that of the store.
    static let lockSuffix = ".lock"

    /// Deletes a store's files; says whether there was one.
    ///
    /// What is left of one whose file is gone already is deleted too, as after a crash in the middle.
    /// - Throws: `StoreError.lockedByOther` if it stays open for longer than `wait`; `notAStore` if it
    ///   `mustBeStore`, and the file is something else, which stays as it is.
    package static func remove(
        _ fileName: String, in folder: Folder, wait: Duration = .zero, mustBeStore: Bool = false
    ) throws(StoreError) -> Bool {
        if mustBeStore { try requireStore(fileName, in: folder) }
        try StoreReplacement.removeRemains(of: fileName, in: folder)
        return try translatingSystem { () throws(LinuxError) in
            let facts = try folder.facts(of: fileName)
            let isThere = facts?.kind == .file
            if !isThere {
                guard facts == nil, try hasRests(of: fileName, in: folder) else { return false }
            }
            let lock = try LockFile.acquire(
                fileName + StoreFile.lockSuffix, in: folder, wait: wait)
            if !isThere, try folder.exists(fileName) { return false }  // Made before we had the lock.
            let copies = MigrationBackup.copies(of: fileName, in: folder)
            // The file first: without it, what is left belongs to nothing. The next removal or new store of
            // the name takes it away.
            try folder.unlink(fileName)
            for suffix in logSuffixes { try folder.unlink(fileName + suffix) }
            if hasValues(fileName) { try ExternalFiles.removeAll(of: fileName, in: folder) }
            for copy in copies { try folder.unlink(copy) }
            try folder.unlink(AtomicFile.oldName(of: fileName))
            try folder.unlink(fileName + StoreFile.lockSuffix)
            try folder.synchronize()
            withExtendedLifetime(lock) {}
            return isThere
        }
    }

    /// Requires that a file is a store, even a damaged one; if there is no file, what is beside it may be
    /// the rest of a store.
    private static func requireStore(_ fileName: String, in folder: Folder) throws(StoreError) {
        let facts = try translatingSystem { () throws(LinuxError) in try folder.facts(of: fileName) }
        guard let facts else { return }
        let path = folder.path + "/" + fileName
        guard facts.kind == .file else { throw .notAStore(path: path, detail: "it is not a regular file") }
        guard facts.byteCount > 0 else { throw .notAStore(path: path, detail: "the file is empty") }
        let place = try translatingSystem { () throws(LinuxError) in try folder.procPath(fileName) }
        do throws(StoreError) {
            // SQLite looks, lest the locks on a file go that this process has open.
            let connection = try translating { () throws(SQLiteError) in
                try SQLiteConnection(
                    path: place, name: path, keeping: folder, mode: .readOnly, vfs: SQLiteVFS(isSealed: true))
            }
            _ = try StoreFacts(reading: connection, path: path)
        } catch {
            if case .damaged = error { return }
            if case .notAStore = error, try StoreType(ofContent: fileName, in: folder) != nil { return }
            throw error
        }
    }

    /// What the names of SQLite's files beside a store have behind that of the store.
    static let logSuffixes = ["-wal", "-shm", "-journal"]

    /// What the names of all files beside a store have behind that of the store.
    static let companionSuffixes = logSuffixes + [lockSuffix]

    /// Removes the logs beside `fileName`, which SQLite would take for those of the file that gets this name
    /// next.
    ///
    /// They can outlive their file if only the file was removed, or a crash ended the removal half-way.
    static func removeLogs(of fileName: String, in folder: Folder) throws(LinuxError) {
        var isFound = false
        for suffix in logSuffixes where try folder.unlink(fileName + suffix) { isFound = true }
        // Before the new name: a crash must not bring a log back beside it.
        if isFound { try folder.synchronize() }
    }

    /// Whether there is something that only a store of that name leaves.
    private static func hasRests(of fileName: String, in folder: Folder) throws(LinuxError) -> Bool {
        for suffix in logSuffixes where try folder.exists(fileName + suffix) { return true }
        guard hasValues(fileName) else { return false }
        return try folder.exists(SupportFolder(of: fileName).name)
    }

    /// Whether a folder of values can belong to a file: stores whose files are written as a whole have none,
    /// and one beside them belongs to a file of SQLite whose name differs in its end only.
    private static func hasValues(_ fileName: String) -> Bool { StoreType(ofFile: fileName) == nil }
}
