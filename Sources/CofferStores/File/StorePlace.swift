internal import CofferLinux
internal import Synchronization

/// Whether a store's file and SQLite's files beside it still have the names by which the next process finds
/// them.
///
/// A program that deletes, moves or replaces one of them (a cleaner, a sync tool, somebody who restores a
/// copy) leaves those that have it open with a file that nobody else can open. What is written there then is
/// lost. Shared.
package final class StorePlace: Sendable {
    private struct State {
        /// The files beside the store's, as its writer found them, by their suffixes.
        var logs: [String: FileFacts] = [:]
        var loss: StoreError?
        var onLoss: (@Sendable (StoreError) -> Void)?
    }

    private let folder: Folder
    private let fileName: String
    private let path: String
    private let identity: FileFacts
    private let state = Mutex(State())

    init(_ folder: Folder, _ fileName: String, path: String, identity: FileFacts) {
        self.folder = folder
        self.fileName = fileName
        self.path = path
        self.identity = identity
    }

    /// Why nothing is written any more, where a file has gone.
    package var loss: StoreError? { state.withLock { $0.loss } }

    /// Has `body` called when a file is found to have gone, once.
    package func whenLost(_ body: @escaping @Sendable (StoreError) -> Void) {
        state.withLock { $0.onLoss = body }
    }

    /// Remembers the files beside the store's, which its writer has open by now.
    func noteLogs() throws(LinuxError) {
        var logs: [String: FileFacts] = [:]
        for suffix in Self.suffixes { logs[suffix] = try folder.facts(of: fileName + suffix) }
        state.withLock { $0.logs = logs }
    }

    private static let suffixes = ["-wal", "-shm"]

    /// Looks whether all files are where they were.
    ///
    /// - Throws: `fileGone`, from then on for ever; `io` where that cannot be seen, and so nothing be
    ///   promised.
    /// - Complexity: One call of the system for each file.
    package func check() throws(StoreError) {
        if let loss { throw loss }
        guard let gone = try firstGone() else { return }
        let error = StoreError.fileGone(path: path + gone, isLog: !gone.isEmpty)
        let onLoss = state.withLock { state in
            defer { state.onLoss = nil }
            if state.loss == nil { state.loss = error }
            return state.onLoss
        }
        onLoss?(error)
        throw loss ?? error
    }

    /// The suffix of the first file that is not there, or another.
    private func firstGone() throws(StoreError) -> String? {
        let logs = state.withLock { $0.logs }
        return try translatingSystem { () throws(LinuxError) in
            if try !isThere(identity, "") { return "" }
            for (suffix, facts) in logs where try !isThere(facts, suffix) { return suffix }
            return nil
        }
    }

    private func isThere(_ facts: FileFacts, _ suffix: String) throws(LinuxError) -> Bool {
        try folder.isAt(fileName + suffix, facts)
    }

    /// Removes the files beside the store's that are still those of the file that has gone: SQLite would take
    /// them for the log of the one that has its name now.
    func removeOwnLogs() throws(LinuxError) {
        if try isThere(identity, "") { return }
        for (suffix, facts) in state.withLock({ $0.logs }) where try isThere(facts, suffix) {
            try folder.unlink(fileName + suffix)
        }
    }
}
