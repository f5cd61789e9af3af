import CofferLinux
import Logging
import Synchronization

/// Calls closures when their time has come, on a worker.
///
/// Shared. One timer for all: it is set for the first that is due, and not at all while no closure waits.
final class TimerQueue: Sendable {
    private struct State {
        var waiting: [UInt64: (due: UInt64, body: @Sendable () -> Void)] = [:]
        var nextID: UInt64 = 1
    }

    private let timer: TimerFD
    private let state = Mutex(State())
    private let logger: Logger

    init(logger: Logger) throws(LinuxError) {
        timer = try TimerFD()
        self.logger = logger
    }

    /// The descriptor to watch; readable while there is something for `pass`.
    var number: Int32 { timer.number }

    /// Calls `body` after `delay`, unless it is taken back.
    func add(after delay: Duration, _ body: @escaping @Sendable () -> Void) -> UInt64 {
        let due = Monotonic.now + delay.wholeNanoseconds
        let id = state.withLock { state in
            defer { state.nextID += 1 }
            state.waiting[state.nextID] = (due, body)
            return state.nextID
        }
        setTimer()
        return id
    }

    /// Takes a closure back; it may be running already.
    func remove(_ id: UInt64) {
        let was = state.withLock { $0.waiting.removeValue(forKey: id) }
        if was != nil { setTimer() }
    }

    /// Calls what is due.
    func pass() {
        timer.drain()
        let now = Monotonic.now
        let due = state.withLock { state in
            let due = state.waiting.filter { $0.value.due <= now }
            for id in due.keys { state.waiting[id] = nil }
            return due.sorted { $0.value.due < $1.value.due }.map(\.value.body)
        }
        for body in due { body() }
        setTimer()
    }

    private func setTimer() {
        do throws(LinuxError) {
            // Under the lock, so that the last to set it knows all that wait.
            try state.withLock { state throws(LinuxError) in
                guard let first = state.waiting.values.map(\.due).min() else { return try timer.disarm() }
                let now = Monotonic.now
                try timer.arm(after: .nanoseconds(Int64(clamping: first > now ? first - now : 0)))
            }
        } catch {
            logger.error("The timer of deadlines cannot be set", metadata: ["error": "\(error)"])
        }
    }
}
