internal import CLinux
internal import Glibc

/// Facts about this process.
package enum CurrentProcess {
    /// Whether systemd started this very process as the main one of a unit.
    ///
    /// Other variables that systemd sets are inherited by whatever such a process starts; this one names the
    /// process.
    package static var isMainOfUnit: Bool { environment["SYSTEMD_EXEC_PID"] == "\(id)" }

    /// The pid of this process.
    package static var id: Int32 { coffer_pid() }

    /// The uid it runs for.
    package static var userID: UInt32 { coffer_uid() }

    /// Lets the process have as many descriptors as the system allows it: a service has many, and uses no
    /// select(2).
    package static func raiseDescriptorLimit() { coffer_raise_descriptor_limit() }

    /// Ends the process as it is: nothing is written, flushed or freed.
    package static func exitAtOnce(code: Int32) -> Never { _exit(code) }

    /// How many descriptors the process has, and how many it may have; `nil` if the system does not tell.
    package static var descriptors: (open: Int, limit: Int)? {
        // What lists them is one of them.
        guard let open = try? Folder(at: "/proc/self/fd").names().count - 1 else { return nil }
        return (open, Int(clamping: coffer_descriptor_limit()))
    }

    /// From now on, files and folders that the process makes are for its owner only.
    package static func keepFilesPrivate() { coffer_keep_files_private() }

    /// The environment, as it is now; of a name that stands twice, the first.
    ///
    /// Nothing of ours changes the environment, so reading it needs no lock.
    package static var environment: [String: String] {
        var environment: [String: String] = [:]
        var index = 0
        while let entry = unsafe coffer_environment_entry(index) {
            index += 1
            let text = unsafe String(cString: entry)
            guard let equals = text.firstIndex(of: "=") else { continue }
            let name = String(text[..<equals])
            if environment[name] == nil { environment[name] = String(text[text.index(after: equals)...]) }
        }
        return environment
    }
}
