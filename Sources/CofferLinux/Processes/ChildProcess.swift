internal import CLinux
internal import Synchronization

/// How a process ended.
package enum ExitStatus: Equatable, Sendable {
    /// The process returned so many, 0 for success.
    case code(Int32)
    /// A signal ended it.
    case signal(Signal)
}

/// Where what a child writes goes.
package enum ChildOutput: Sendable {
    /// Where ours goes.
    case inherited
    /// Nowhere.
    case discarded
    /// Into a pipe, whose end `ChildProcess.output` or `.errors` is.
    case pipe
    /// Into an open file.
    case file(OwnedDescriptor)
}

/// A process that this one started, and waits for.
///
/// Shared. A child that still runs when its object goes is killed, so that none is left behind.
package final class ChildProcess: Sendable {
    /// The child's pid: good until it was waited for.
    package let id: Int32
    /// The reading end of its standard output, if that is a pipe.
    package let output: OwnedDescriptor?
    /// The reading end of its standard error, if that is a pipe.
    package let errors: OwnedDescriptor?
    /// A descriptor of it (`pidfd_open`), which names no other process when it has ended.
    package let process: OwnedDescriptor
    private let status = Mutex<ExitStatus?>(nil)

    /// Starts `executable`, found by `PATH` if it is a bare name, with `input` as its standard input, or none
    /// if that is `nil`.
    ///
    /// The child has no descriptors but the three standard ones, all signals as by default, and none blocked.
    /// The `arguments` lack the program's own name; `environment` is all of it, this process's if it is
    /// `nil`.
    package init(
        _ executable: String, arguments: [String] = [], environment: [String: String]? = nil,
        input: OwnedDescriptor? = nil, output: ChildOutput = .inherited, errors: ChildOutput = .inherited
    ) throws(LinuxError) {
        let out = try ChildStream(output, inherited: 1)
        let err = try ChildStream(errors, inherited: 2)
        let variables = (environment ?? CurrentProcess.environment).map { "\($0.key)=\($0.value)" }
        var pid: Int32 = 0
        let result = unsafe withCStrings([executable] + arguments) { arguments in
            unsafe withCStrings(variables) { variables in
                var request = unsafe coffer_spawn_request(
                    path: arguments[0], arguments: arguments, environment: variables,
                    input: input?.number ?? -1,
                    output: out.number, error: err.number)
                return unsafe coffer_spawn(&request, &pid)
            }
        }
        withExtendedLifetime((input, out, err)) {}
        try check(result, "posix_spawn", path: executable)
        // Only this object reaps the child, so its pid stays its own until then.
        process = OwnedDescriptor(owning: try check(coffer_pidfd_open(pid), "pidfd_open"))
        id = pid
        self.output = out.reader
        self.errors = err.reader
    }

    deinit {
        if status.withLock({ $0 == nil }) {
            _ = coffer_kill(id, Signal.kill.rawValue)
            _ = try? reap(wait: true)  // Nobody is left to tell.
        }
    }

    /// The lines of its standard output, which must be a pipe and be read by one reader only.
    package func outputLines() -> LineReader? { output.map { LineReader($0) } }

    /// The lines of its standard error, which must be a pipe and be read by one reader only.
    package func errorLines() -> LineReader? { errors.map { LineReader($0) } }

    /// Sends `signal`; nothing happens if the child was waited for already.
    package func kill(_ signal: Signal = .terminate) throws(LinuxError) {
        // Under the lock, so that no other thread reaps the child, and its pid becomes another's, meanwhile.
        let result = status.withLock { $0 == nil ? coffer_kill(id, signal.rawValue) : 0 }
        try check(result, "kill")
    }

    /// Waits until the child has ended and says how.
    @discardableResult
    package func waitForExit() throws(LinuxError) -> ExitStatus {
        while true {
            if let status = try waitForExit(timeout: .seconds(3600)) { return status }
        }
    }

    /// Waits until the child has ended, at most for `timeout`; `nil` if it still runs.
    package func waitForExit(timeout: Duration) throws(LinuxError) -> ExitStatus? {
        // A process descriptor is readable once the process has ended; it can then be reaped without waiting.
        let deadline = Monotonic.now + timeout.wholeNanoseconds
        if try !process.waitReady(toWrite: false, deadline: deadline) { return nil }
        return try reap(wait: true)
    }

    private func reap(wait: Bool) throws(LinuxError) -> ExitStatus? {
        try status.withLock { status throws(LinuxError) in
            if let status { return status }
            var code: Int32 = 0
            var signal: Int32 = 0
            let result = unsafe coffer_reap(id, wait ? 1 : 0, &code, &signal)
            if try check(result, "waitpid") == 0 { return nil }
            let ended = signal == 0 ? ExitStatus.code(code) : .signal(Signal(rawValue: signal))
            status = ended
            return ended
        }
    }
}

/// One standard stream of a child while it is started.
private struct ChildStream {
    let number: Int32
    let reader: OwnedDescriptor?
    let writer: OwnedDescriptor?

    init(_ output: ChildOutput, inherited: Int32) throws(LinuxError) {
        switch output {
        case .inherited: (number, reader, writer) = (inherited, nil, nil)
        case .discarded: (number, reader, writer) = (-1, nil, nil)
        case .file(let file): (number, reader, writer) = (file.number, nil, file)
        case .pipe:
            let ends = try Pipe.make()
            (number, reader, writer) = (ends.writer.number, ends.reader, ends.writer)
        }
    }
}
