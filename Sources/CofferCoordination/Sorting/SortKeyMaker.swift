import CofferLinux
import Synchronization

/// Lets a store's writer make sort keys that queries asked for, on a thread that is there for as long as that takes.
///
/// Shared. Nobody waits for it: until keys are complete, queries make their own.
final class SortKeyMaker: Sendable {
    private struct State {
        var isRunning = false
        var isClosed = false
        /// The last one; it has ended, or is about to, where none is running.
        var thread: WorkerThread?
    }

    private let state = Mutex(State())
    /// Does a piece, and says whether there is more.
    private let piece: @Sendable () -> Bool

    init(_ piece: @escaping @Sendable () -> Bool) {
        self.piece = piece
    }

    /// Begins, where it is not at it.
    func start() {
        let (isFirst, last) = state.withLock { state in
            if state.isRunning || state.isClosed { return (false, nil as WorkerThread?) }
            state.isRunning = true
            defer { state.thread = nil }
            return (true, state.thread)
        }
        guard isFirst else { return }
        last?.join()
        // Where there are no threads to be had, somebody will ask again.
        guard let thread = try? WorkerThread(name: "coffer-sort", { [self] in run() }) else {
            return state.withLock { $0.isRunning = false }
        }
        state.withLock { $0.thread = thread }
    }

    private func run() {
        while true {
            let hasMore = piece()
            let isDone = state.withLock { state in
                state.isRunning = hasMore && !state.isClosed
                return !state.isRunning
            }
            if isDone { return }
        }
    }

    /// Ends after the piece that it is at, for good.
    func close() {
        let thread = state.withLock { state in
            state.isClosed = true
            defer { state.thread = nil }
            return state.thread
        }
        thread?.join()
    }
}
