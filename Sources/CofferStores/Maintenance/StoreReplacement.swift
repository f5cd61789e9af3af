internal import CofferFormats
package import CofferLinux
internal import CofferSQLite
internal import CofferWire
package import FoundationEssentials
internal import Synchronization

/// A file that is about to take a store's place: a copy beside it, which has proved to be a store.
///
/// Shared. The copy has a lock of its own, held until it has taken the store's place. A copy that a crash
/// has left has a lock that no process holds, and is removed when the store is opened, removed or replaced
/// the next time.
package final class StoreReplacement: Sendable {
    private let folder: Folder
    private let fileName: String
    private let configuration: String
    private let copy: Mutex<StoreFile?>
    /// That of the copy, held from before there is one.
    private let lock: LockFile

    /// Its UUID.
    package let uuid: UUID

    /// Copies `source` and opens the copy.
    ///
    /// `source` is a regular file that can be read, with nothing in a log beside it; under `fileName` there
    /// may be nothing yet. `model` is that of the clients that have the store open, `nil` if any is right.
    /// Values that are in files of the folder `values` go into the rows of the copy, so that all of it
    /// takes its place at once.
    /// - Throws: `notAStore`, `damaged`, `unknownModel` or `incompatible` for a file that is not a store,
    ///   or not one for `model`; `damaged` too if the file of a value is missing; `tooLarge` for one over
    ///   `Limits.replacementBytes`; `full` if there is no room for it, before anything is copied; `io`.
    package init(
        _ source: OwnedDescriptor, values: Folder? = nil, of fileName: String, in folder: Folder,
        model: StoreModel?, configuration: String
    ) throws(StoreError) {
        let lock = try translatingSystem { () throws(LinuxError) in
            try LockFile.acquire(Self.copyName(of: fileName) + StoreFile.lockSuffix, in: folder)
        }
        let file: StoreFile
        do throws(StoreError) {
            try Self.removeCopy(of: fileName, in: folder, suffixes: Self.fileSuffixes)
            try Self.copy(source, to: Self.copyName(of: fileName), in: folder)
            file = try Self.open(
                Self.copyName(of: fileName), in: folder, model: model, configuration: configuration,
                lockedBy: lock)
            if let item = file.trust.unknownItem { throw .unknownSQL(path: "", item: item) }
            let writer = try file.makeWriter()
            try Self.takeIn(values, of: file, writer)
            if let problem = try writer.integrityCheck().first {
                throw .damaged(path: file.path, detail: problem)
            }
        } catch {
            try Self.removeCopy(of: fileName, in: folder)
            throw Self.renamed(error, ofCopy: folder.path(of: Self.copyName(of: fileName)))
        }
        (self.folder, self.fileName, self.configuration) = (folder, fileName, configuration)
        self.lock = lock
        uuid = file.uuid
        copy = Mutex(file)
    }

    deinit {
        copy.withLock { $0 = nil }
        // What cannot be removed now is the next time.
        try? Self.removeCopy(of: fileName, in: folder)
    }

    /// What the old file gave out, and the new one is not to give out again.
    private struct OldStore {
        /// The last transaction, or a number above any that there may be.
        var number: UInt64
        /// The last keys by entity, if the new file is a copy of the same store.
        var keys: [String: Int64] = [:]
    }

    /// Puts the copy in the store's place, with a history that begins behind all that either had; says its
    /// last transaction.
    ///
    /// If the copy is one of this same store, its new objects get no key that the store has given out
    /// since: to clients such a key would mean the earlier object. The store must not be open. After a
    /// crash either the old file or the whole new one is there.
    /// - Throws: `lockedByOther` if it is open.
    package func takePlace(now: Double) throws(StoreError) -> UInt64 {
        let first = try end(now: now)
        try translatingSystem { () throws(LinuxError) in
            let lock = try LockFile.acquire(
                fileName + StoreFile.lockSuffix, in: folder, wait: Limits.replacementLock)
            // A log of the old file must not be taken for one of the new: it goes first; what was in it is in
            // its file.
            try StoreFile.removeLogs(of: fileName, in: folder)
            try folder.rename(Self.copyName(of: fileName), to: fileName)
            try folder.synchronize()
            try ExternalFiles.removeAll(of: fileName, in: folder)  // Those of the old file.
            withExtendedLifetime(lock) {}
        }
        return first
    }

    /// Puts the copy into another folder of the same file system, under the name of the store, which stays
    /// what it is; says its last transaction.
    ///
    /// - Throws: `io` if a file of that name is there already.
    package func move(to folder: Folder, now: Double) throws(StoreError) -> UInt64 {
        let first = try end(now: now)
        try translatingSystem { () throws(LinuxError) in
            try folder.synchronize()
            try self.folder.rename(Self.copyName(of: fileName), to: fileName, in: folder, replacing: false)
            try folder.synchronize()
        }
        return first
    }

    /// Has the copy go on behind the store, and closes it.
    private func end(now: Double) throws(StoreError) -> UInt64 {
        let past = try drainOld()
        guard let file = copy.withLock({ $0.take() }) else {
            throw .malformedRequest("a replacement takes its place once")
        }
        let first = try Self.restart(file, after: past, now: now)
        withExtendedLifetime(file) {}
        return first
    }

    /// The copy, for a caller that reads it as a store of its own; it does not take the store's place then,
    /// and is removed with this object.
    package func takeFile() throws(StoreError) -> StoreFile {
        guard let file = copy.withLock({ $0.take() }) else {
            throw .malformedRequest("a replacement is read once, or takes its place")
        }
        return file
    }

    /// Reads the copy before it takes its place.
    package func read<Result>(_ body: (StoreFile) throws(StoreError) -> Result) throws(StoreError) -> Result {
        guard let file = copy.withLock({ $0 }) else {
            throw .malformedRequest("a replacement is read before it takes its place")
        }
        return try body(file)
    }

    /// Moves what the old file's log has into the file; says what it gave out.
    private func drainOld() throws(StoreError) -> OldStore {
        try translatingSystem { () throws(LinuxError) in
            _ = try LockFile.acquire(
                fileName + StoreFile.lockSuffix, in: folder, wait: Limits.replacementLock)
        }
        do throws(StoreError) {
            let old = try Self.open(fileName, in: folder, model: nil, configuration: configuration)
            let writer = try old.makeWriter()
            try writer.checkpointFully()
            return OldStore(number: old.openingNumber, keys: old.uuid == uuid ? try writer.lastKeys() : [:])
        } catch {
            switch error {
            case .notFound: return OldStore(number: 0)
            // It can be read: only not now.
            case .lockedByOther, .busy, .full, .io, .outOfMemory: throw error
            case .notAdopted, .unadoptable, .unfinishedWrite: return try drainForeign()
            default: return OldStore(number: Limits.unreadableHistory)  // To be replaced may be the cure.
            }
        }
    }
}

extension StoreReplacement {
    /// Moves what the log of an old file that Coffer did not make has into the file, and undoes a write that
    /// was cut short, as the program that made it would; says which keys it gave out.
    private func drainForeign() throws(StoreError) -> OldStore {
        let path = try translatingSystem { () throws(LinuxError) in try folder.procPath(fileName) }
        return try translating { () throws(SQLiteError) in
            let connection = try SQLiteConnection(
                path: path, name: folder.path(of: fileName), keeping: folder, mode: .readWrite)
            try connection.setBusyTimeout(milliseconds: Limits.busyMilliseconds)
            var old = OldStore(number: Limits.unreadableHistory)
            let keys = try connection.prepare(
                "SELECT Z_NAME, Z_MAX FROM Z_PRIMARYKEY, Z_METADATA WHERE ifnull(Z_SUPER, 0) = 0 AND Z_UUID = ?1"
            )
            try keys.bind(uuid.uuidString, at: 1)
            while try keys.step() { old.keys[keys.text(0)] = keys.int64(1) }
            keys.reset()
            if try connection.pragma("journal_mode") == "wal" {
                let result = try connection.checkpoint(mode: .truncate)
                guard result.checkpointedFrames == result.walFrames else { throw .busy(path: path) }
            }
            return old
        }
    }

    /// An error of the copy as one of the file that was given: the caller does not know the copy, and it is
    /// gone.
    private static func renamed(_ error: StoreError, ofCopy path: String) -> StoreError {
        switch error {
        case .notAStore(path, let detail): .notAStore(path: "", detail: detail)
        case .damaged(path, let detail): .damaged(path: "", detail: detail)
        case .unknownModel(path): .unknownModel(path: "")
        case .notAdopted(path, let additions): .notAdopted(path: "", additions: additions)
        case .unadoptable(path, let detail): .unadoptable(path: "", detail: detail)
        default: error
        }
    }

    private static let fileSuffixes = [""] + StoreFile.logSuffixes
    private static let suffixes = fileSuffixes + [StoreFile.lockSuffix]

    /// What a file is called until it takes the place of `fileName`.
    static func copyName(of fileName: String) -> String { ".\(fileName).new" }

    /// Removes what a crash has left of a replacement, but nothing of one that a process still works on.
    package static func removeRemains(of fileName: String, in folder: Folder) throws(StoreError) {
        let name = copyName(of: fileName)
        let isLeft = try translatingSystem { () throws(LinuxError) in
            for suffix in suffixes where try folder.exists(name + suffix) { return true }
            return false
        }
        guard isLeft else { return }
        let lock: LockFile
        do throws(LinuxError) {
            lock = try LockFile.acquire(name + StoreFile.lockSuffix, in: folder)
        } catch {
            if case .locked = error { return }
            throw StoreError(error)
        }
        try removeCopy(of: fileName, in: folder)
        withExtendedLifetime(lock) {}
    }

    /// Removes the copy with its values, and at last its lock unless that is to stay; for a caller that
    /// holds the lock.
    static func removeCopy(
        of fileName: String, in folder: Folder, suffixes: [String] = suffixes
    ) throws(StoreError) {
        let name = copyName(of: fileName)
        try translatingSystem { () throws(LinuxError) in
            let values = SupportFolder(of: name).name
            if try folder.exists(values) { try folder.removeAll(values) }
            // It may have been made beside its own place.
            for suffix in fileSuffixes { try folder.unlink(copyName(of: name) + suffix) }
            for suffix in suffixes { try folder.unlink(name + suffix) }
        }
    }

    private static func copy(
        _ source: OwnedDescriptor, to name: String, in folder: Folder
    ) throws(StoreError) {
        let byteCount = try byteCount(of: source, for: folder)
        try translatingSystem { () throws(LinuxError) in
            let target = try folder.openBeneath(name, [.writeOnly, .create, .exclusive])
            var offset = 0
            // A store that stands still does not grow meanwhile; what is missing of one that does then shows.
            while offset < byteCount {
                let piece = try source.read(upTo: min(Limits.copyPiece, byteCount - offset), at: offset)
                if piece.isEmpty { break }
                try target.writeAll(piece)
                offset += piece.count
            }
            try target.synchronize()
        }
    }

    /// Puts the values that are in files into the rows of the copy.
    private static func takeIn(
        _ folder: Folder?, of file: StoreFile, _ writer: StoreWriter
    ) throws(StoreError) {
        let values = FiledValues(columns: file.schema.externalColumns, path: file.path)
        var rest = try values.rows(in: writer.connection)[...]
        if rest.isEmpty { return }
        guard let folder else {
            throw .notAStore(
                path: file.path,
                detail: "it has values in files of their own, which did not come along: copy it into one file"
            )
        }
        var byteCount = 0
        for row in rest { byteCount += try self.byteCount(of: try self.file(row.name, in: folder, values)) }
        try checkRoom(for: byteCount, in: file.folder)
        while !rest.isEmpty {
            // The log is as long as what one transaction wrote.
            try writer.transaction { () throws(StoreError) in
                var written = 0
                while written < Limits.movedBytes, let row = rest.popFirst() {
                    let source = try self.file(row.name, in: folder, values)
                    written += try values.move(row, from: source, to: writer.connection)
                }
            }
            try writer.checkpointFully()
        }
    }

    private static func file(
        _ name: String, in folder: Folder, _ values: FiledValues
    ) throws(StoreError) -> OwnedDescriptor {
        guard let file = try values.open(name, in: folder) else {
            throw .damaged(path: "\(folder.path)/\(name)", detail: "the file of a value is missing")
        }
        return file
    }

    /// How long the file of a value is, which can be read as one.
    private static func byteCount(of value: OwnedDescriptor) throws(StoreError) -> Int {
        let byteCount = try translatingSystem { () throws(LinuxError) in try value.facts().byteCount }
        guard byteCount <= CofferWire.Limits.message else {
            throw .tooLarge("the file of a value has more than \(CofferWire.Limits.message >> 20) MiB")
        }
        return byteCount
    }

    private static func checkRoom(for byteCount: Int, in folder: Folder) throws(StoreError) {
        let room = try translatingSystem { () throws(LinuxError) in try folder.freeByteCount() }
        guard byteCount <= Limits.replacementBytes else {
            throw .tooLarge(
                "a file of \(byteCount) bytes, \(Limits.replacementBytes) may take a store's place")
        }
        guard byteCount <= room - Limits.spareBytes else { throw .full(path: folder.path) }
    }

    /// How long `source` is, which begins as files of SQLite do, and for which there is room.
    private static func byteCount(of source: OwnedDescriptor, for folder: Folder) throws(StoreError) -> Int {
        let (byteCount, start) = try translatingSystem { () throws(LinuxError) in
            (try source.facts().byteCount, try source.read(upTo: beginning.count, at: 0))
        }
        guard start == beginning else {
            throw .notAStore(path: "", detail: "it is not an SQLite database")
        }
        try checkRoom(for: byteCount, in: folder)
        return byteCount
    }

    private static let beginning = Array("SQLite format 3\0".utf8)

    private static func open(
        _ name: String, in folder: Folder, model: StoreModel?, configuration: String,
        lockedBy lock: LockFile? = nil
    ) throws(StoreError) -> StoreFile {
        var options = StoreOptions()
        options.mustExist = true
        return try StoreFile.open(
            in: folder, fileName: name, model: model, configuration: configuration, options: options,
            lockedBy: lock)
    }

    private static func restart(_ file: StoreFile, after past: OldStore, now: Double) throws(StoreError)
        -> UInt64
    {
        let writer = try file.makeWriter()
        try writer.giveOutKeys(after: past.keys)
        try translating { () throws(SQLiteError) in
            try ExternalRecovery.noteStale(file.schema, on: writer.connection)
        }
        let first = try writer.restartHistory(after: past.number, now: now)
        try writer.checkpointFully()
        guard try file.byteCounts().wal == 0 else { throw .busy(path: file.path) }
        return first
    }
}
