package import CofferLinux
package import CofferStores
import Synchronization

extension PersistentStore {
    /// Copies the store as it is at one moment, at idle priority, while others write; one copy at a time.
    ///
    /// If the log grows too long, since it cannot begin again meanwhile, the copy goes on at the ordinary
    /// priority.
    /// - Throws: as `StoreBackup`, and `copyUnderWay`.
    package func backUp(
        into folder: Folder, as fileName: String, options: StoreBackup.Options = StoreBackup.Options(),
        _ progress: (_ copied: Int, _ total: Int) -> Bool = { _, _ in true }
    ) throws(StoreError) -> StoreBackup.Outcome {
        guard !isBackingUp.exchange(true, ordering: .acquiring) else { throw .copyUnderWay(path: file.path) }
        defer { isBackingUp.store(false, ordering: .releasing) }
        return try longWork.run { () throws(StoreError) in
            try backUpOnce(into: folder, as: fileName, options: options, progress)
        }
    }

    private func backUpOnce(
        into folder: Folder, as fileName: String, options: StoreBackup.Options,
        _ progress: (_ copied: Int, _ total: Int) -> Bool
    ) throws(StoreError) -> StoreBackup.Outcome {
        for _ in 0..<Limits.backupAttempts {
            let backup = try StoreBackup(of: file, in: folder, as: fileName, options: options)
            if let outcome = try runIdly(backup, progress) { return outcome }
        }
        // Values come and go all the time: for once they wait.
        return try write { [file, longWork] writer throws(StoreError) in
            let backup = try StoreBackup(of: file, in: folder, as: fileName, options: options)
            let outcome = try backup.run { _, _ in
                !longWork.isOver
            } verifying: { connection, body throws(StoreError) in
                try longWork.interruptibly(on: connection, body)
            }
            guard let outcome else {
                throw .damaged(path: file.path, detail: "the file of a value is missing")
            }
            return outcome
        }
    }

    private func runIdly(
        _ backup: StoreBackup, _ progress: (_ copied: Int, _ total: Int) -> Bool
    ) throws(StoreError) -> StoreBackup.Outcome? {
        var idleness = IOPriority.beginIdling()
        if idleness != nil { statistics.idleWork.add(1, ordering: .relaxed) }
        defer { idleness?.end() }
        return try backup.run { copied, total in
            #if DEBUG
            if copied > 0 { CrashPoint.duringBackup.pass() }
            #endif
            if isLogLong, let hurry = idleness.take() {
                hurry.end()
                statistics.idleLifts.add(1, ordering: .relaxed)
            }
            return !longWork.isOver && progress(copied, total)
        } verifying: { [longWork] connection, body throws(StoreError) in
            try longWork.interruptibly(on: connection, body)
        } willFinish: {
            #if DEBUG
            CrashPoint.afterBackup.pass()
            #endif
        }
    }

    /// Whether the log is longer than pinned states may make it.
    private var isLogLong: Bool {
        // What cannot be looked at now is looked at with the next pages.
        guard let counts = try? file.byteCounts() else { return false }
        return counts.wal > file.pinnedLogByteCount
    }
}
