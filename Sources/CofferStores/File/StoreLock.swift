internal import CofferLinux

/// The lock beside a store's file, which lets one process at a time write.
enum StoreLock {
    /// Takes the lock of the store at `path`, which is `fileName` in `folder`.
    ///
    /// - Throws: `lockedByOther`; `readOnly` if no lock can be made; `noLocks` if the file system has none.
    static func acquire(
        _ fileName: String, in folder: Folder, path: String, patience: LockPatience,
        locks: FileLocks = .ranges
    ) throws(StoreError) -> LockFile {
        let name = fileName + StoreFile.lockSuffix
        do throws(LinuxError) {
            do throws(LinuxError) {
                return try LockFile.acquire(name, in: folder, locks: locks)
            } catch .locked(_, let owner) where patience.wait(for: owner) > .zero {
                return try LockFile.acquire(
                    name, in: folder, wait: patience.wait(for: owner), locks: locks)
            }
        } catch .locked(_, let owner) {
            throw .lockedByOther(path: path, pid: owner)
        } catch  where error.isWriteRefused {
            throw .readOnly(path: path)
        } catch  where error.hasNoLocks {
            throw .noLocks(path: path)
        } catch {
            throw StoreError(error)
        }
    }
}
