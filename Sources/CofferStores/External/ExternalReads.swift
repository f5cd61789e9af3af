internal import CofferLinux
internal import Synchronization

/// Keeps the files of replaced and deleted values until no reader can see their rows any more.
///
/// Shared. A read transaction that began before a commit still sees the rows as they were; it is counted from
/// before it begins until it has ended, so that files that the commit made useless go with the last of those
/// that came before.
package final class ExternalReads: Sendable {
    /// A file that no row names any more, and the key of the note about it in the store.
    struct Dropped: Sendable, Equatable {
        var id: Int64
        var name: String
    }

    private struct Waiting {
        var epoch: UInt64
        var files: [Dropped]
    }

    private struct State {
        /// How many commits have dropped files.
        var epoch: UInt64 = 0
        /// Reads under way, by the epoch in which they began.
        var reads: [UInt64: Int] = [:]
        var waiting: [Waiting] = []
        /// Notes about files that are gone.
        var removed: [Int64] = []

        /// Takes the files that no reader needs any more.
        mutating func takeFree() -> [Dropped] {
            if waiting.isEmpty { return [] }
            let oldest = reads.keys.min() ?? .max
            let free = waiting.prefix { $0.epoch < oldest }
            waiting.removeFirst(free.count)
            return free.flatMap(\.files)
        }
    }

    private let state = Mutex(State())
    private let files: ExternalFiles

    init(_ files: ExternalFiles) {
        self.files = files
    }

    /// Counts a read that is about to begin; what it is called by to `end`.
    func begin() -> UInt64 {
        state.withLock { state in
            state.reads[state.epoch, default: 0] += 1
            return state.epoch
        }
    }

    /// Counts a read no longer, and removes what waited for it.
    func end(_ epoch: UInt64) {
        let free = state.withLock { state in
            state.reads[epoch, default: 1] -= 1
            guard state.reads[epoch] == 0 else { return [Dropped]() }
            state.reads[epoch] = nil
            return state.takeFree()
        }
        remove(free)
    }

    /// Removes files that a commit, which is durable, has dropped: now, or once the reads that began before
    /// have ended.
    func drop(_ files: [Dropped]) {
        if files.isEmpty { return }
        let free = state.withLock { state in
            state.waiting.append(Waiting(epoch: state.epoch, files: files))
            state.epoch += 1
            return state.takeFree()
        }
        remove(free)
    }

    /// The notes about files that are gone since this was asked last.
    func takeRemoved() -> [Int64] {
        state.withLock { state in
            defer { state.removed = [] }
            return state.removed
        }
    }

    /// How many such notes there are.
    var removedCount: Int { state.withLock { $0.removed.count } }

    /// Gives such notes back, since they could not be deleted.
    func giveBack(_ removed: [Int64]) {
        if !removed.isEmpty { state.withLock { $0.removed += removed } }
    }

    private func remove(_ dropped: [Dropped]) {
        if dropped.isEmpty { return }
        var removed: [Int64] = []
        for file in dropped {
            do throws(LinuxError) {
                try files.remove(file.name)
                removed.append(file.id)
            } catch {
                continue  // The note stays, and the file goes when the store is opened the next time.
            }
        }
        let done = removed
        state.withLock { $0.removed += done }
    }
}
