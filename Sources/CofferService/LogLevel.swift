package import Logging
import Synchronization

/// The level of all loggers of the service, which an administrator may change while it runs.
package final class LogLevel: Sendable {
    private let current: Mutex<Logger.Level>

    /// A level to begin with.
    package init(_ level: Logger.Level) {
        current = Mutex(level)
    }

    /// What is logged.
    package var level: Logger.Level { current.withLock { $0 } }

    /// Logs that much from now on.
    package func set(_ level: Logger.Level) {
        current.withLock { $0 = level }
    }
}
