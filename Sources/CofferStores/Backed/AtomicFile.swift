internal import CofferFormats
internal import CofferLinux
internal import CofferModel
internal import Synchronization

/// A step of writing a store's whole file, for tests that let each of them fail.
package enum AtomicStep: CaseIterable, Sendable {
    /// The new file is made beside the old one.
    case create
    /// Its bytes are written.
    case write
    /// They are brought to the disk.
    case synchronize
    /// The old file gets a second name.
    case keepOld
    /// The new file takes the name.
    case rename
    /// The folder is brought to the disk.
    case synchronizeFolder
}

/// The file behind an atomic store, which each save replaces by a whole new one.
///
/// Shared; only the store's writer writes. After a crash at any moment the old file or the whole new one has
/// the name.
package final class AtomicFile: Sendable {
    private struct State {
        /// The file that has the name, as this process knows it; `nil` if there is none yet.
        var identity: FileFacts?
        /// Why nothing is written any more.
        var loss: StoreError?
    }

    /// The folder of the file.
    let folder: Folder
    /// Its name there.
    let fileName: String
    /// The form of its bytes.
    let format: any AtomicFormat
    private let lock: LockFile?
    private let state: Mutex<State>
    private let fault: (@Sendable (AtomicStep) -> Int32?)?

    /// Where it is, for people.
    var path: String { folder.path(of: fileName) }
    private var newName: String { ".\(fileName).new" }
    private var oldName: String { Self.oldName(of: fileName) }

    /// The name that the file of before has until the database has committed what the new one holds; after a
    /// crash, until the store is opened or removed.
    static func oldName(of fileName: String) -> String { ".\(fileName).copy" }

    /// The file of that name, which the caller has locked if it is to be written.
    ///
    /// Removes what a crash left beside it.
    init(
        _ fileName: String, in folder: Folder, format: any AtomicFormat, identity: FileFacts?,
        lock: LockFile?,
        fault: (@Sendable (AtomicStep) -> Int32?)?
    ) throws(StoreError) {
        self.fileName = fileName
        self.folder = folder
        self.format = format
        self.lock = lock
        self.fault = fault
        state = Mutex(State(identity: identity))
        if lock == nil { return }
        try translatingSystem { () throws(LinuxError) in
            try folder.unlink(newName)
            try folder.unlink(oldName)
        }
    }

    /// Which file it is now.
    var identity: FileFacts? { state.withLock { $0.identity } }

    /// Gives the name to a new file of `bytes`, durably; the old one is kept until the answer is settled.
    ///
    /// - Throws: why it could not; then the old file has the name, or `fileGone` is told from then on.
    func publish(_ bytes: [UInt8]) throws(StoreError) -> AtomicPublication {
        let (old, loss) = state.withLock { ($0.identity, $0.loss) }
        if let loss { throw loss }
        if let old, try !isUnchanged(old) { throw lose(.fileGone(path: path, isLog: false)) }
        var isRenamed = false
        do throws(LinuxError) {
            let facts = try write(bytes)
            try pass(.keepOld)
            if old != nil, try !keepOld() { throw .malformed(path: path, detail: "its old name is taken") }
            try pass(.rename)
            // What came there unknown to us stays.
            try folder.rename(newName, to: fileName, replacing: old != nil)
            isRenamed = true
            state.withLock { $0.identity = facts }
            try pass(.synchronizeFolder)
            try folder.synchronize()
        } catch {
            if isRenamed {
                takeBack(to: old)
            } else {
                removeRests()
            }
            throw error.isFull ? .full(path: path) : StoreError(error)
        }
        return AtomicPublication(file: self, old: old)
    }

    /// Whether the file is the one that was read or written last; others may have written into it in place.
    private func isUnchanged(_ old: FileFacts) throws(StoreError) -> Bool {
        let now = try translatingSystem { () throws(LinuxError) in try folder.facts(of: fileName) }
        guard let now else { return false }
        return now.isSameFile(as: old) && now.byteCount == old.byteCount
            && now.modifiedNanoseconds == old.modifiedNanoseconds
    }

    private func write(_ bytes: [UInt8]) throws(LinuxError) -> FileFacts {
        try folder.unlink(newName)
        try pass(.create)
        let file = try folder.openBeneath(newName, [.writeOnly, .create, .exclusive])
        try pass(.write)
        try file.writeAll(bytes)
        try pass(.synchronize)
        try file.synchronize()
        return try file.facts()
    }

    /// Gives the old file a second name; if the file system allows none, the old file cannot be restored.
    private func keepOld() throws(LinuxError) -> Bool {
        try folder.unlink(oldName)
        do throws(LinuxError) { return try folder.link(fileName, to: oldName) } catch {
            if error.isLinkRefused { return true }
            throw error
        }
    }

    private func pass(_ step: AtomicStep) throws(LinuxError) {
        if let number = fault?(step) { throw .system(call: "\(step)", errno: number, path: path) }
    }

    private func removeRests() {
        // The first error is the one to tell; the next opening removes what is left.
        _ = try? folder.unlink(newName)
        _ = try? folder.unlink(oldName)
    }

    /// Gives the old file its name again, after the database did not take what the new one has.
    fileprivate func takeBack(to old: FileFacts?) {
        do throws(LinuxError) {
            if old == nil { try folder.unlink(fileName) } else { try folder.rename(oldName, to: fileName) }
            state.withLock { $0.identity = old }
            try folder.synchronize()
        } catch {
            // File and memory differ for good: a client that opens the store again gets what the file has.
            _ = lose(.fileGone(path: path, isLog: false))
        }
    }

    fileprivate func forgetOld() {
        // The next opening removes what stays.
        _ = try? folder.unlink(oldName)
        format.didWrite()
    }

    private func lose(_ error: StoreError) -> StoreError {
        state.withLock { state in
            if state.loss == nil { state.loss = error }
        }
        return error
    }
}

/// A new file that has its name, before the database has committed what it holds.
///
/// Each is settled once, by `keep` or `takeBack`.
struct AtomicPublication {
    fileprivate let file: AtomicFile
    fileprivate let old: FileFacts?

    /// The database has committed.
    func keep() { file.forgetOld() }

    /// The database has not.
    func takeBack() { file.takeBack(to: old) }
}
