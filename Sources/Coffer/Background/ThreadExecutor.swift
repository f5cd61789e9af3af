import CofferLinux

/// Runs an actor's work on a thread of its own, which it may block.
///
/// Shared: jobs wait behind a lock. The thread ends when the executor goes, after what waits.
final class ThreadExecutor: SerialExecutor {
    private struct State {
        var jobs: [WaitingJob] = []
        var isEnding = false
        var thread: Int?
    }

    private let state: ConditionLock<State>

    /// Starts the thread.
    init(name: String) throws(LinuxError) {
        let state = ConditionLock(State())
        self.state = state
        _ = try WorkerThread(name: name) {
            let number = WorkerThread.currentNumber
            state.withLock { $0.thread = number }
            state.broadcast()
            while let jobs = Self.next(state) {
                for job in jobs { job.run() }
            }
        }
    }

    deinit {
        state.withLock { $0.isEnding = true }
        state.signal()
    }

    /// Whether the calling thread is this one.
    var isCurrent: Bool { state.withLock { $0.thread } == WorkerThread.currentNumber }

    /// The system's number of the thread.
    var threadNumber: Int { state.wait { $0.thread } }

    func checkIsolated() { precondition(isCurrent, "not called on the context's own thread") }

    /// Runs `body` on the thread, after what waits.
    func run(_ body: @escaping @Sendable () -> Void) {
        state.withLock { $0.jobs.append(WaitingJob(body)) }
        state.signal()
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = WaitingJob(UnownedJob(job), on: self)
        state.withLock { $0.jobs.append(job) }
        state.signal()
    }

    /// The jobs that wait; `nil` at the end.
    private static func next(_ state: ConditionLock<State>) -> [WaitingJob]? {
        let jobs = state.wait { state -> [WaitingJob]? in
            defer { state.jobs = [] }
            return state.jobs.isEmpty && !state.isEnding ? nil : state.jobs
        }
        return jobs.isEmpty ? nil : jobs
    }
}

/// A job of an actor, until its thread comes to it.
///
/// Safe, since each is run once, and keeps its actor alive meanwhile, which keeps the executor.
@safe private struct WaitingJob: Sendable {
    @safe private enum Work {
        case job(UnownedJob, UnownedSerialExecutor)
        case closure(@Sendable () -> Void)
    }

    private let work: Work

    init(_ job: UnownedJob, on executor: ThreadExecutor) {
        unsafe work = .job(job, executor.asUnownedSerialExecutor())
    }

    init(_ body: @escaping @Sendable () -> Void) { work = .closure(body) }

    func run() {
        switch work {
        case .job(let job, let executor): unsafe job.runSynchronously(on: executor)
        case .closure(let body): body()
        }
    }
}
