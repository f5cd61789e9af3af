import ArgumentParser
import CofferLinux

/// Why something could not be measured.
enum BenchError: Error {
    /// A program is not where it must be: build or install it.
    case missingProgram(String, advice: String)
    /// The message bus did not start.
    case busNotStarted(String)
    /// The service did not end in time.
    case serviceStays(pid: Int32)
    /// A worker process failed, or said something else than was expected.
    case worker(String)
    /// A system answered wrongly.
    case wrongAnswer(String)
    /// The system cannot do what a step needs.
    case unsupported(String)
    /// A signal asked to stop.
    case stopped
}

extension BenchError: CustomStringConvertible {
    var description: String {
        switch self {
        case .missingProgram(let path, let advice): "'\(path)' is missing: \(advice)"
        case .busNotStarted(let text): "dbus-daemon did not start: \(text)"
        case .serviceStays(let pid): "the service, process \(pid), does not end"
        case .worker(let text): text
        case .wrongAnswer(let text): "wrong answer: \(text)"
        case .unsupported(let text): "not supported: \(text)"
        case .stopped: "stopped by a signal"
        }
    }
}

/// The exit codes of `sysexits.h` that this program uses.
enum SystemExit {
    static let unavailable = ExitCode(69)
    static let software = ExitCode(70)
    static let system = ExitCode(71)
    static let interrupted = ExitCode(130)

    /// The code that tells a script what kind of failure `error` is.
    static func code(for error: any Error) -> ExitCode {
        switch error {
        case BenchError.missingProgram, BenchError.busNotStarted: unavailable
        case BenchError.stopped: interrupted
        case is LinuxError: system
        default: software
        }
    }
}
