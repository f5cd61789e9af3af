import CofferLinux
import Logging
import Synchronization

/// The threads that serve calls.
///
/// Shared. More are started while long calls hold all of them; they stay, since an idle one costs little more
/// than its stack.
final class WorkerPool: Sendable {
    private let workers = Mutex<[WorkerThread]>([])
    private let watcher = Mutex<WorkerThread?>(nil)
    private let reactor: Reactor
    private let body: @Sendable () -> Void
    private let logger: Logger

    /// Threads that do what the reactor has for them, channels by `serve`, until it stops.
    init(_ reactor: Reactor, logger: Logger, _ serve: @escaping @Sendable (ServerChannel) -> Void) {
        self.reactor = reactor
        self.logger = logger
        body = { reactor.work(serve) }
    }

    /// Starts so many workers, and the threads that watch them.
    func start(_ count: Int) throws(LinuxError) {
        for _ in 0..<count {
            try workers.withLock { workers throws(LinuxError) in workers.append(try start(workers.count)) }
        }
        let thread = try WorkerThread(name: "coffer-watch") { [self] in
            reactor.watch.watch(reactor.shares, patience: Limits.workerPatience) {
                grow(to: count + Limits.moreWorkers)
            }
        }
        watcher.withLock { $0 = thread }
    }

    /// Starts one more, unless there are `most`.
    private func grow(to most: Int) {
        do throws(LinuxError) {
            let count = try workers.withLock { workers throws(LinuxError) in
                if workers.count >= most { return 0 }
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
        reactor.watch.end()  // Workers that have ended are not idle either.
        watcher.withLock { $0.take() }?.join()
        while let worker = workers.withLock({ $0.popLast() }) { worker.join() }
    }

    private func start(_ index: Int) throws(LinuxError) -> WorkerThread {
        try WorkerThread(name: "coffer-work-\(index)", stackByteCount: Limits.workerStack, body)
    }
}
