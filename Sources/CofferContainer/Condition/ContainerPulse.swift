package import CofferLinux

/// Says when a container is to be looked at: when something is told of, and from time to time anyway.
///
/// Shared. Hints may be missed, and on a network's file system none come: so a scan is always behind them.
package final class ContainerPulse: Sendable {
    /// What is to be done, under the lock.
    private struct Signal {
        var isDue = false
        var hasEnded = false
    }

    private let signal: ConditionLock<Signal>

    /// How long it waits at most.
    package struct Pauses: Hashable, Sendable {
        /// Where changes are told of.
        package var watched: Duration
        /// Where they are not.
        package var scanned: Duration

        package init(watched: Duration = .seconds(300), scanned: Duration = .seconds(30)) {
            self.watched = watched
            self.scanned = scanned
        }
    }

    /// Calls `body`, on a thread of its own, at once, after each hint, and when a pause has passed, until the
    /// result goes; hints that come meanwhile are one.
    ///
    /// Where `body` gives a pause, the next look comes no later than after that.
    ///
    /// - Throws: `LinuxError` where there is no thread to be had.
    package init(
        _ carrier: any ContainerCarrier, pauses: Pauses = Pauses(),
        _ body: @escaping @Sendable () -> Duration?
    ) throws(LinuxError) {
        let signal = ConditionLock(Signal())
        self.signal = signal
        _ = try WorkerThread(name: "container-scan") {
            let newWatch = {
                // A folder that cannot be watched is scanned.
                try? carrier.watch {
                    signal.withLock { $0.isDue = true }
                    signal.broadcast()
                }
            }
            var watch: (any CarrierWatch)?
            while true {
                // The folder may not be there yet, or be another one than before.
                if watch == nil { watch = newWatch() }
                let retry = body()
                if signal.withLock({ $0.hasEnded }) { return }
                if watch == nil {
                    watch = newWatch()
                    // It is there since `body` made it, and something may have come before it was watched.
                    if watch != nil { continue }
                }
                let pause = watch == nil ? pauses.scanned : pauses.watched
                let wasTold = signal.wait(timeout: min(pause, retry ?? pause)) { state -> Bool? in
                    guard state.isDue || state.hasEnded else { return nil }
                    state.isDue = false
                    return true
                }
                if signal.withLock({ $0.hasEnded }) { return }
                // A folder that was replaced tells of nothing: after a quiet pause it is watched anew.
                if wasTold == nil { watch = nil }
            }
        }
    }

    /// Asks for a look now.
    package func hurry() {
        signal.withLock { $0.isDue = true }
        signal.broadcast()
    }

    deinit {
        signal.withLock { $0.hasEnded = true }
        signal.broadcast()
    }
}
