package import CofferLinux

/// Says when a container is to be looked at: when something is told of, and from time to time anyway.
///
/// Shared. Hints may be missed, and on a network's file system none come: so a scan is always behind them.
package final class ContainerPulse: Sendable {
    /// What is to be looked at.
    package enum Look: Hashable, Sendable {
        /// All of the container.
        case whole
        /// These objects, which may have come; none if something was saved here, and that is all.
        case objects(Set<ObjectName>)

        fileprivate init(_ hint: CarrierHint) {
            switch hint {
            case .objects(let names): self = .objects(names)
            case .anything: self = .whole
            }
        }
    }

    /// What is to be done, under the lock.
    private struct Signal {
        var hint: CarrierHint?
        var hasEnded = false

        mutating func add(_ other: CarrierHint) { hint = hint?.joined(with: other) ?? other }
    }

    private let signal: ConditionLock<Signal>

    /// How long it waits at most.
    package struct Pauses: Hashable, Sendable {
        /// The pause if changes are told of.
        package var watched: Duration
        /// The pause if they are not.
        package var scanned: Duration

        package init(watched: Duration = .seconds(300), scanned: Duration = .seconds(30)) {
            self.watched = watched
            self.scanned = scanned
        }
    }

    /// Calls `body`, on a thread of its own, at once, after each hint, and when a pause has passed, until the
    /// result goes; hints that come meanwhile are one.
    ///
    /// If `body` gives a pause, all is looked at again no later than after that.
    ///
    /// - Throws: `LinuxError` if there is no thread to be had.
    package init(
        _ carrier: any ContainerCarrier, pauses: Pauses = Pauses(),
        _ body: @escaping @Sendable (Look) -> Duration?
    ) throws(LinuxError) {
        let signal = ConditionLock(Signal())
        self.signal = signal
        _ = try WorkerThread(name: "container-scan") {
            let newWatch = {
                // A folder that cannot be watched is scanned.
                try? carrier.watch { hint in
                    signal.withLock { $0.add(hint) }
                    signal.broadcast()
                }
            }
            var watch: (any CarrierWatch)?
            var look = Look.whole
            // When all is to be looked at again.
            var end: UInt64 = 0
            while true {
                // The folder may not be there yet, or be another one than before.
                if watch == nil { watch = newWatch() }
                let retry = body(look)
                if signal.withLock({ $0.hasEnded }) { return }
                if watch == nil {
                    watch = newWatch()
                    // It is there since `body` made it, and something may have come before it was watched.
                    if watch != nil {
                        look = .whole
                        continue
                    }
                }
                let now = Monotonic.now
                // What is saved again and again does not put it off.
                if look == .whole {
                    end = now + (watch == nil ? pauses.scanned : pauses.watched).wholeNanoseconds
                }
                if let retry { end = min(end, now + retry.wholeNanoseconds) }
                let hint = signal.wait(timeout: .nanoseconds(end > now ? end - now : 0)) {
                    state -> CarrierHint? in
                    defer { state.hint = nil }
                    return state.hasEnded ? .anything : state.hint
                }
                if signal.withLock({ $0.hasEnded }) { return }
                look = Monotonic.now < end ? hint.map(Look.init) ?? .whole : .whole
                // A replaced folder has a silent watch, so each whole look begins with a new one.
                if look == .whole { watch = nil }
            }
        }
    }

    /// Asks for a look at all now.
    package func hurry() { add(.anything) }

    /// Asks for what was saved here to be put there now.
    package func hurrySave() { add(.objects([])) }

    private func add(_ hint: CarrierHint) {
        signal.withLock { $0.add(hint) }
        signal.broadcast()
    }

    deinit {
        signal.withLock { $0.hasEnded = true }
        signal.broadcast()
    }
}
