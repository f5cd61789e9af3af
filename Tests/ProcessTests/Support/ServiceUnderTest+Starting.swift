import CofferDBus
import CofferLinux
import CofferService
import FoundationEssentials
import TestSupport

extension ServiceUnderTest {
    /// Starts a service that the test can wait for, and waits until it has the name.
    func startByHand() throws -> ChildProcess {
        try started { try startService(["--data", data, "--idle-timeout", "0"]) }
    }

    /// A service in the place of the one that the bus would start, once it has the name.
    ///
    /// - Throws: `EndedEarly` if the service ends without the name.
    func started(_ start: () throws -> ChildProcess) throws -> ChildProcess {
        let watcher = try connection()
        try watcher.ask(.addMatch(.nameOwnerChanged(BusNames.name)))
        let process = try start()
        while try pid() == nil {
            if let status = try process.waitForExit(timeout: .zero) { throw EndedEarly(status: status) }
            _ = try watcher.nextSignal(timeoutMilliseconds: 500)
        }
        return process
    }

    /// A service that did not come up.
    struct EndedEarly: Error {
        let status: ExitStatus
    }
}

/// Waits until a process that was sent `SIGSTOP` stands still.
func waitUntilStopped(_ pid: Int32) throws {
    try waitUntil("process \(pid) stands still") {
        try String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8).contains(") T ")
    }
}
