import CofferLinux
import Synchronization

/// How long it is waited before what failed of a store's life is tried again: twice as long each time.
///
/// Shared.
final class ExchangePauses: Sendable {
    private struct Pause {
        var count = 0
        var end: UInt64 = 0
    }

    private static let shortest = Duration.seconds(1)
    private static let longest = Duration.seconds(300)

    private let pauses = Mutex<[StoreKey: Pause]>([:])

    /// Notes that it failed.
    ///
    /// - Returns: How soon it is to be tried again; `nil` if another try waits already.
    func begin(_ key: StoreKey) -> Duration? {
        pauses.withLock { pauses in
            var pause = pauses[key] ?? Pause()
            let now = Monotonic.now
            if pause.end > now { return nil }
            let duration = min(Self.shortest * (1 << min(pause.count, 20)), Self.longest)
            pause.count += 1
            pause.end = now + duration.wholeNanoseconds
            pauses[key] = pause
            return duration
        }
    }

    /// Whether it is waited for another attempt.
    func isPausing(_ key: StoreKey) -> Bool {
        pauses.withLock { pauses in pauses[key].map { $0.end > Monotonic.now } ?? false }
    }

    /// Notes that it succeeded.
    func end(_ key: StoreKey) { pauses.withLock { $0[key] = nil } }
}
