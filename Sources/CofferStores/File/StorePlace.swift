internal import CofferLinux
internal import Synchronization

/// Whether a store's file and SQLite's files beside it still have the names by which the next process finds
/// them.
///
/// When a program deletes, moves or replaces one of them (a cleaner, a sync tool, a user who restores a
/// copy), the processes that have the store open are left with a file that no other process can open, and
/// what is written there is lost. Shared.
package final class StorePlace: Sendable {
    private struct State {
        /// The files beside the store's, by suffix, as the writer found them.
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

    /// Why nothing is written any more, once a file has gone.
    package var loss: StoreError? { state.withLock { $0.loss } }

    /// Makes `body` the function that is called once, when a file is found to have gone.
    package func whenLost(_ body: @escaping @Sendable (StoreError) -> Void) {
        state.withLock { $0.onLoss = body }
    }

    /// Remembers the files beside the store's, now that its writer has opened them.
    func noteLogs() throws(LinuxError) {
        var logs: [String: FileFacts] = [:]
        for suffix in Self.suffixes { logs[suffix] = try folder.facts(of: fileName + suffix) }
        state.withLock { $0.logs = logs }
    }

    private static let suffixes = ["-wal", "-shm"]

    /// Checks that all files are where they were.
    ///
    /// - Throws: `fileGone`, and from then on always; `io` if that cannot be determined, so that nothing
    ///   can be promised.
    /// - Complexity: One system call for each file.
    package func check() throws(StoreError) {
        if let loss { throw loss }
        guard let gone = try firstGone() else { return }
        throw lose(.fileGone(path: path + gone, isLog: !gone.isEmpty))
    }

    /// Records that nothing can be written any more, and tells the observer that waits for that.
    ///
    /// The first reason stays, and is what it gives.
    func lose(_ error: StoreError) -> StoreError {
        let onLoss = state.withLock { state in
            defer { state.onLoss = nil }
            if state.loss == nil { state.loss = error }
            return state.onLoss
        }
        onLoss?(error)
        return loss ?? error
    }

    /// Makes all writes fail from now on, since another file has the store's objects.
    package func leave() { _ = lose(.moved(path: path)) }

    /// The suffix of the first file that is missing or has been replaced.
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

    /// Removes the files beside the store's that still belong to the file that has gone: SQLite would take
    /// them for the log of the file that has its name now.
    func removeOwnLogs() throws(LinuxError) {
        if try isThere(identity, "") { return }
        for (suffix, facts) in state.withLock({ $0.logs }) where try isThere(facts, suffix) {
            try folder.unlink(fileName + suffix)
        }
    }
}
