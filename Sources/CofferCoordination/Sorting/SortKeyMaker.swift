import CofferLinux
import Synchronization

/// Lets a store's writer make sort keys that queries asked for, on a thread that is there for as long as that
/// takes.
///
/// Shared. No thread waits for it: until keys are complete, queries make their own.
package final class SortKeyMaker: Sendable {
    private struct State {
        var isRunning = false
        var isClosed = false
        /// The last one; it has ended, or is about to, if none is running.
        var thread: WorkerThread?
    }

    private let state = Mutex(State())
    /// Does a piece, and says whether there is more.
    private let piece: @Sendable () -> Bool

    /// Does `piece` again and again once it is asked to start, until that says that there is no more.
    package init(_ piece: @escaping @Sendable () -> Bool) {
        self.piece = piece
    }

    /// Begins, unless it is already at work; after `close` it does nothing.
    package func start() {
        state.withLock { state in
            if state.isRunning || state.isClosed { return }
            // The last one has let go of the lock for good, and ends.
            state.thread?.join()
            // If no thread can be had, a later request asks again.
            state.thread = try? WorkerThread(name: "coffer-sort", { [self] in run() })
            state.isRunning = state.thread != nil
        }
    }

    private func run() {
        var hasMore = true
        while goesOn(hasMore) { hasMore = piece() }
    }

    private func goesOn(_ hasMore: Bool) -> Bool {
        state.withLock { state in
            state.isRunning = hasMore && !state.isClosed
            return state.isRunning
        }
    }

    /// Ends after the piece that it is at, for good: when it returns, none is done any more.
    package func close() {
        let thread = state.withLock { state in
            state.isClosed = true
            defer { state.thread = nil }
            return state.thread
        }
        thread?.join()
    }
}
