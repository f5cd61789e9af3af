internal import CLinux

/// A signal by its number.
package struct Signal: RawRepresentable, Hashable, Sendable {
    package let rawValue: Int32

    package init(rawValue: Int32) {
        self.rawValue = rawValue
    }

    package static let terminate = Signal(rawValue: coffer_sigterm)
    package static let interrupt = Signal(rawValue: coffer_sigint)
    package static let hangUp = Signal(rawValue: coffer_sighup)
    package static let kill = Signal(rawValue: coffer_sigkill)
    package static let stop = Signal(rawValue: coffer_sigstop)
    package static let resume = Signal(rawValue: coffer_sigcont)
    package static let child = Signal(rawValue: coffer_sigchld)
}

/// Signals that arrive as readable bytes, not as interruptions; `signalfd(2)`.
///
/// Shared.
package final class SignalFD: Sendable {
    private let descriptor: OwnedDescriptor

    /// Blocks `signals` in this thread, and in every thread that it starts from now on, and receives them
    /// here.
    ///
    /// Call it before the process has other threads: a thread that does not block a signal may get it, and
    /// die.
    package init(
        _ signals: [Signal] = [.terminate, .interrupt, .hangUp]
    ) throws(LinuxError) {
        let numbers = signals.map(\.rawValue)
        try check(unsafe coffer_signals_block(numbers, numbers.count), "pthread_sigmask")
        descriptor = OwnedDescriptor(
            owning: try check(unsafe coffer_signals_create(numbers, numbers.count), "signalfd"))
    }

    /// The descriptor to watch; readable while a signal waits.
    package var number: Int32 { descriptor.number }

    /// The next signal that came; `nil` if none came.
    package func read() throws(LinuxError) -> Signal? {
        let number = try check(coffer_signals_read(descriptor.number), "read(signalfd)")
        return number == 0 ? nil : Signal(rawValue: number)
    }
}
