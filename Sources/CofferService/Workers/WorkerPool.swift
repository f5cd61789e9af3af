import CofferLinux
import Logging
import Synchronization

/// The threads that serve calls.
///
/// Shared. More are started while long calls hold all of them; they stay, since an idle one costs little more than its stack.
final class WorkerPool: Sendable {
    private let workers = Mutex<[WorkerThread]>([])
    private let body: @Sendable () -> Void
    private let logger: Logger

    /// Threads that run `body` until it returns.
    init(logger: Logger, _ body: @escaping @Sendable () -> Void) {
        self.logger = logger
        self.body = body
    }

    /// Starts so many.
    func start(_ count: Int) throws(LinuxError) {
        for _ in 0..<count {
            try workers.withLock { workers throws(LinuxError) in workers.append(try start(workers.count)) }
        }
    }

    /// Starts one more, unless there are as many as there may be.
    func grow() {
        do throws(LinuxError) {
            let count = try workers.withLock { workers throws(LinuxError) in
                if workers.count >= Limits.workers { return 0 }
                workers.append(try start(workers.count))
                return workers.count
            }
            if count > 0 {
                logger.info(
                    "Long calls hold all workers: started one more", metadata: ["workers": "\(count)"])
            }
        } catch {
            logger.warning("No more workers can be started", metadata: ["error": "\(error)"])
        }
    }

    /// Waits until all have ended.
    func join() {
        // One that is at a long call may start another until it ends.
        while let worker = workers.withLock({ $0.popLast() }) { worker.join() }
    }

    private func start(_ index: Int) throws(LinuxError) -> WorkerThread {
        try WorkerThread(name: "coffer-work-\(index)", stackByteCount: Limits.workerStack, body)
    }
}
