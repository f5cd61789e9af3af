package import CofferStores
import Synchronization

extension PersistentStore {
    /// Makes the file as small as it can be, at idle priority until a save comes, which has to wait for it.
    ///
    /// Pinned states are given up: with them, neither the log nor the file could become smaller.
    /// - Parameter progress: Called now and then, on another thread perhaps, with bytes written and about how
    ///   many there will be; `false` stops it, and the store is as it was.
    /// - Returns: Bytes of the file with its log, before and after.
    /// - Throws: `interrupted` if it was stopped; `full`, and the error of a store that is read only.
    @discardableResult
    package func vacuum(
        _ progress: @escaping @Sendable (_ done: Int, _ total: Int) -> Bool = { _, _ in true }
    ) throws(StoreError) -> (former: Int, now: Int) {
        guard let queue else { throw file.readOnlyError }
        return try longWork.run { [file, generations, longWork] () throws(StoreError) in
            try queue.performAndWait(isBackground: true) { writer throws(StoreError) in
                generations.endAll()
                let former = try file.byteCounts()
                try writer.vacuum { done, total in
                    #if DEBUG
                    if done > total / 4 { CrashPoint.duringVacuum.pass() }
                    if done > total / 4 * 3 { CrashPoint.endingVacuum.pass() }
                    #endif
                    return !longWork.isOver && progress(done, total)
                }
                let now = try file.byteCounts()
                return (former: former.file + former.wal, now: now.file + now.wal)
            }.get()
        }
    }
}
