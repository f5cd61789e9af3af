import CofferLinux
import Glibc
import Synchronization

/// Work for the thread of one loop, and what wakes it.
///
/// Shared: a mutex around the queue.
final class LoopMailbox: Sendable {
    typealias Work = @Sendable (DBusBus) -> Void

    private struct State {
        var queue: [Work] = []
        var isClosed = false
        var thread: pthread_t?
    }

    private let state = Mutex(State())
    /// Readable while work waits that another thread posted.
    let event: EventFD

    init() throws(DBusError) {
        do throws(LinuxError) {
            event = try EventFD()
        } catch {
            throw DBusError(error)
        }
    }

    /// Whether the calling thread is that of the loop.
    var isOnLoopThread: Bool {
        let caller = pthread_self()
        return state.withLock { $0.thread == caller }
    }

    /// Makes the calling thread that of the loop.
    func adoptThread() {
        let caller = pthread_self()
        state.withLock { $0.thread = caller }
    }

    /// Queues `work`; false if the loop has ended or is stuck.
    func post(_ work: @escaping Work) -> Bool {
        let caller = pthread_self()
        let (isTaken, mustWake) = state.withLock { state in
            guard !state.isClosed, state.queue.count < Limits.postedWork else { return (false, false) }
            state.queue.append(work)
            // The loop looks at the queue before it sleeps, so a post from its own thread needs no wake-up.
            return (true, state.queue.count == 1 && state.thread != caller)
        }
        if mustWake { event.signal() }
        return isTaken
    }

    /// All work that waits; `isLast` refuses what comes after it.
    func take(isLast: Bool = false) -> [Work] {
        state.withLock { state in
            if isLast {
                state.isClosed = true
            }
            let work = state.queue
            state.queue = []
            return work
        }
    }

    /// Whether no work waits.
    var isEmpty: Bool { state.withLock { $0.queue.isEmpty } }
}
