import CofferLinux
import Glibc  // _exit
import Synchronization

/// Ctrl-C, on which a command ends what it is at and says how far it came; a second one ends it at once.
///
/// Shared.
final class Interruption: Sendable {
    private struct State {
        /// What is true should the process have to end now.
        var lastWords = "Nothing was done."
        var hasBegun = false
        var hasCome = false
    }

    private let state: SharedState

    /// Takes Ctrl-C over: make it before the process has other threads.
    init() throws(LinuxError) {
        let signals = try SignalFD([.interrupt])
        let epoll = try Epoll()
        try epoll.add(signals.number, token: 0, events: .readable)
        let state = SharedState()
        self.state = state
        _ = try WorkerThread(name: "interruption") {
            var batch = EpollBatch()
            while true {
                // If waiting fails, there is nothing that could be told of.
                guard (try? epoll.wait(into: &batch)) != nil else { return }
                while let signal = try? signals.read(), signal == .interrupt { Self.take(state) }
            }
        }
    }

    /// From now on an interruption waits for the end of a transaction; `words` say what is durable by now.
    func note(_ words: String) {
        state.value.withLock {
            $0.lastWords = words
            $0.hasBegun = true
        }
    }

    /// Throws if Ctrl-C came.
    func check() throws(ToolError) {
        if state.value.withLock({ $0.hasCome }) { throw ToolError(.interrupted, "Interrupted.") }
    }

    private static func take(_ state: SharedState) {
        let words: String? = state.value.withLock { state in
            defer { state.hasCome = true }
            return state.hasBegun && !state.hasCome ? nil : state.lastWords
        }
        guard let words else { return }
        StandardError.say("coffer: Interrupted.\n\(words)")
        _exit(ExitStatus.interrupted.rawValue)
    }

    /// What its thread and the command share.
    private final class SharedState: Sendable {
        let value = Mutex(State())
    }
}
