internal import CofferLinux

/// What this process is called.
package enum ProcessName {
    /// The name of its executable, else what the system shows of it.
    package static let own: String = {
        let id = CurrentProcess.id
        do throws(LinuxError) {
            let path = try ProcessFacts.executablePath(of: id)
            return path.split(separator: "/").last.map { String($0) } ?? path
        } catch {
            return "process-\(id)"  // A sandbox may hide /proc.
        }
    }()
}
