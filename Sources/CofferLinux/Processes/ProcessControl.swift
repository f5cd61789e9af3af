internal import CLinux

/// Signals for processes that are not children of this one.
package enum ProcessControl {
    /// Sends `signal` to the process that has the pid now; mind that pids are used again.
    package static func kill(_ pid: Int32, _ signal: Signal) throws(LinuxError) {
        precondition(pid > 0, "0 and less name groups of processes")
        try check(coffer_kill(pid, signal.rawValue), "kill")
    }

    /// Whether a process has the pid now, a zombie included.
    package static func exists(_ pid: Int32) -> Bool {
        precondition(pid > 0, "0 and less name groups of processes")
        return coffer_kill(pid, 0) != -coffer_esrch
    }
}
