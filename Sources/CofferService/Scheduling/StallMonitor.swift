import CofferLinux
import Synchronization

/// Sees to it that long calls are not what everybody else waits for: fetches without end, checks, large
/// saves, whatever it is.
///
/// Shared. A thread of its own, since those that do the work may all be held, and signals and timers wait for
/// one of them, too. It sleeps while workers are idle now and then: nothing of it runs in a service that has
/// nothing to do.
package final class StallMonitor: Sendable {
    private struct State {
        var isAsked = false
        var isEnding = false
    }

    private enum Wake { case check, end }

    private let state = ConditionLock(State())
    private let isLooking = Atomic<Bool>(false)

    /// A watch that no thread keeps yet.
    package init() {}

    /// All workers are busy: looks from time to time whether they remain at the same calls, until one is
    /// idle.
    package func check() {
        // Nearly always it does already, or none is busy for long.
        if isLooking.load(ordering: .sequentiallyConsistent)
            || isLooking.exchange(true, ordering: .sequentiallyConsistent)
        {
            return
        }
        state.withLock { $0.isAsked = true }
        state.signal()
    }

    /// Lets `keep` return.
    package func end() {
        state.withLock { $0.isEnding = true }
        state.signal()
    }

    /// Calls `grow` whenever for `patience` no worker was idle, until `end`.
    package func watch(_ shares: FairScheduler, patience: Duration, _ grow: () -> Void) {
        while wait() == .check {
            repeat {
                let rests = shares.restCount
                if wait(for: patience) { return }
                if shares.hasIdleWorker {
                    isLooking.store(false, ordering: .sequentiallyConsistent)
                    // Workers that became busy since have seen that a thread looks. Both sides store, then
                    // load what the other stored: in an order that all see alike, or each could miss the
                    // other.
                    if shares.hasIdleWorker || isLooking.exchange(true, ordering: .sequentiallyConsistent) {
                        break
                    }
                } else if shares.restCount == rests {
                    grow()
                }
            } while true
        }
    }

    private func wait() -> Wake {
        state.wait { state in
            defer { state.isAsked = false }
            return state.isEnding ? .end : state.isAsked ? .check : nil
        }
    }

    /// Whether it is to end, after `time` at the latest.
    private func wait(for time: Duration) -> Bool {
        state.wait(timeout: time) { $0.isEnding ? true : nil } ?? false
    }
}
