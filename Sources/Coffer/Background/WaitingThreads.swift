internal import CofferLinux
internal import Synchronization

/// Which threads wait for which others for as long as it takes, so that none begins to wait in a circle.
///
/// Shared, by all contexts of the process.
final class WaitingThreads: Sendable {
    static let all = WaitingThreads()

    /// What a thread waits for: that another one is done with all that it began when it had so many waits of
    /// its own, and since.
    private struct Wait {
        var thread: Int
        var depth: Int
    }

    /// The waits of each thread, the latest last; within a wait it may answer questions, and wait again for
    /// that.
    private let waits = Mutex<[Int: [Wait]]>([:])

    /// Notes that the calling thread will wait until another one has done all that it has to do; `false`,
    /// and nothing is noted, if that one waits for the calling one.
    func begin(waitingForAllOf thread: Int) -> Bool {
        let current = WorkerThread.currentNumber
        return waits.withLock { waits in
            let wait = Wait(thread: thread, depth: 0)
            if Self.leads(wait, to: current, waits) { return false }
            waits[current, default: []].append(wait)
            return true
        }
    }

    /// Notes that `asker` waits for what the calling thread begins now.
    func begin(_ asker: Int) {
        let current = WorkerThread.currentNumber
        if asker == current { return }
        waits.withLock { waits in
            let depth = waits[current]?.count ?? 0
            waits[asker, default: []].append(Wait(thread: current, depth: depth))
        }
    }

    /// Notes that the calling thread has done what `asker` waits for.
    func end(_ asker: Int) {
        if asker != WorkerThread.currentNumber { endWait(of: asker) }
    }

    /// Notes that the calling thread no longer waits.
    func end() { endWait(of: WorkerThread.currentNumber) }

    private func endWait(of thread: Int) {
        waits.withLock { waits in
            _ = waits[thread]?.popLast()
            if waits[thread]?.isEmpty ?? false { waits[thread] = nil }
        }
    }

    /// Whether a wait is for a thread, or for one that waits for it.
    private static func leads(_ wait: Wait, to thread: Int, _ waits: [Int: [Wait]]) -> Bool {
        wait.thread == thread
            || (waits[wait.thread]?.dropFirst(wait.depth).contains { leads($0, to: thread, waits) } ?? false)
    }
}
