package import CofferLinux

extension StoreFile {
    /// What the name of the lock file has behind that of the store.
    static let lockSuffix = ".lock"

    /// Deletes a store's files; says whether there was one.
    ///
    /// - Throws: `StoreError.lockedByOther` where somebody has it open for longer than `wait`.
    package static func remove(
        _ fileName: String, in folder: Folder, wait: Duration = .zero
    ) throws(StoreError) -> Bool {
        try StoreReplacement.removeRemains(of: fileName, in: folder)
        return try translatingSystem { () throws(LinuxError) in
            guard try folder.facts(of: fileName)?.kind == .file else { return false }
            let lock = try LockFile.acquire(
                fileName + StoreFile.lockSuffix, in: folder, wait: wait)
            // The file first: without it, what is left belongs to nothing and is removed with the next try.
            try folder.unlink(fileName)
            try ExternalFiles.removeAll(of: fileName, in: folder)
            for suffix in ["-wal", "-shm", StoreFile.lockSuffix] { try folder.unlink(fileName + suffix) }
            try folder.synchronize()
            withExtendedLifetime(lock) {}
            return true
        }
    }
}
