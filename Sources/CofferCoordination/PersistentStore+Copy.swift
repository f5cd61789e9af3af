package import CofferLinux
package import CofferModel
package import CofferStores
import Synchronization

extension PersistentStore {
    /// Makes a new store with all that is in this one at one moment, while others write; one copy at a time.
    ///
    /// - Parameters:
    ///   - type: How the new store keeps its objects.
    ///   - folder: Where its file goes.
    ///   - fileName: What that is called.
    ///   - options: How it is made.
    ///   - progress: Told of objects copied and in all; `false` stops it.
    /// - Returns: What was made.
    /// - Throws: As `StoreCopy`, and `copyUnderWay`.
    package func copy(
        as type: StoreType, into folder: Folder, as fileName: String, options: StoreCopy.Options,
        _ progress: @escaping (_ copied: Int, _ total: Int) -> Bool = { _, _ in true }
    ) throws(StoreError) -> StoreCopy.Outcome {
        guard !isBackingUp.exchange(true, ordering: .acquiring) else { throw .copyUnderWay(path: file.path) }
        defer { isBackingUp.store(false, ordering: .releasing) }
        return try longWork.run { [file, longWork] () throws(StoreError) in
            try StoreCopy(of: file, as: type, options: options).run(as: fileName, in: folder) {
                copied, total in
                #if DEBUG
                if copied > 0 { CrashPoint.duringCopy.pass() }
                #endif
                return !longWork.isOver && progress(copied, total)
            } willFinish: {
                #if DEBUG
                CrashPoint.afterCopy.pass()
                #endif
            }
        }
    }
}
