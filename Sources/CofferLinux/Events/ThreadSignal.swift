internal import CLinux

/// Signals for the thread that sends them.
package enum ThreadSignal {
    /// Sends `signal` to this thread; `pthread_kill(3)`.
    package static func raise(_ signal: Signal) throws(LinuxError) {
        try check(coffer_signal_raise(signal.rawValue), "pthread_kill")
    }
}
