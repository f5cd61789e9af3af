import CofferLinux
package import Logging

/// Sees to it that the service ends in time, whatever its stores do.
///
/// Shared. First, reads are stopped: no client waits for their answers any longer. Then the process exits
/// as it is. That loses nothing: what was acknowledged is on the disk, and a transaction that was not
/// committed is as if it had never begun.
package final class EndingWatch: Sendable {
    private let isOver = ConditionLock(false)
    private let logger: Logger
    private let readingTime: Duration
    private let time: Duration

    /// A watch that lets reads go on for `readingTime`, and all for `time`.
    package init(
        logger: Logger, readingTime: Duration = Limits.endingReads, time: Duration = Limits.ending
    ) {
        self.logger = logger
        self.readingTime = readingTime
        self.time = time
    }

    /// The end has begun: calls `stopReading` once its time has passed, and exits once that of all has,
    /// unless `end` comes first.
    package func begin(stopReading: @escaping @Sendable () -> Void) {
        do throws(LinuxError) {
            _ = try WorkerThread(name: "ending") { [self] in
                if waits(readingTime) { return }
                logger.warning("Reads that still run are stopped")
                stopReading()
                if waits(time - readingTime) { return }
                logger.critical("Exiting with work undone: what was not acknowledged is not saved")
                CurrentProcess.exitAtOnce(code: Limits.overdueExit)
            }
        } catch {
            logger.error("Nothing sees to it that the service ends in time", metadata: ["error": "\(error)"])
        }
    }

    private func waits(_ time: Duration) -> Bool { isOver.wait(timeout: time) { $0 ? true : nil } ?? false }

    /// All is done.
    package func end() {
        isOver.withLock { $0 = true }
        isOver.broadcast()
    }
}
