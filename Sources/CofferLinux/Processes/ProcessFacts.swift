internal import CLinux

/// How much memory a process has in use, in bytes.
package struct ProcessMemory: Equatable, Sendable {
    /// What is resident now; `VmRSS`.
    package let resident: Int
    /// The most that ever was; `VmHWM`.
    package let peakResident: Int
}

/// What all threads of a process did since they started.
package struct ProcessActivity: Equatable, Sendable {
    /// How many threads there are.
    package let threadCount: Int
    /// How often a thread went to sleep.
    package let voluntarySwitches: Int
    /// How often a thread was made to give way.
    package let involuntarySwitches: Int
    /// Time in its own code, in ticks, threads that ended included.
    package let userTicks: Int
    /// Time in the kernel, in ticks, threads that ended included.
    package let systemTicks: Int
    /// How many ticks make a second.
    package let ticksPerSecond: Int
}

/// Facts about any process, from `/proc`.
///
/// A pid may be another's by the time the answer is read, so it does not identify a process.
package enum ProcessFacts {
    /// The name of the program, at most 15 bytes; `/proc/PID/comm`.
    package static func name(of pid: Int32) throws(LinuxError) -> String {
        let text = try text("/proc/\(pid)/comm")
        return text.hasSuffix("\n") ? String(text.dropLast()) : text
    }

    /// The path of the program, as this process sees it; `/proc/PID/exe`.
    ///
    /// Of another user's process it is secret.
    package static func executablePath(of pid: Int32) throws(LinuxError) -> String {
        let path = "/proc/\(pid)/exe"
        var result = 0
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: Limits.path) { buffer, filled in
            unsafe result = coffer_read_link(path, buffer.baseAddress, buffer.count)
            filled = max(0, result)
        }
        try check(result, "readlink", path: path)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Memory in use; `/proc/PID/status`.
    package static func memory(of pid: Int32) throws(LinuxError) -> ProcessMemory {
        let path = "/proc/\(pid)/status"
        let fields = fields(of: try text(path))
        guard let resident = fields["VmRSS"], let peak = fields["VmHWM"] else {
            throw .malformed(path: path, detail: "no VmRSS or VmHWM")  // A thread of the kernel, or a zombie.
        }
        return ProcessMemory(resident: resident << 10, peakResident: peak << 10)
    }

    /// Context switches of all threads that live, and processor time; `/proc/PID/task/*/status`,
    /// `/proc/PID/stat`.
    package static func activity(of pid: Int32) throws(LinuxError) -> ProcessActivity {
        var threads = 0
        var voluntary = 0
        var involuntary = 0
        for task in try Folder(at: "/proc/\(pid)/task").names() {
            // A thread may end between being listed and being read.
            guard let text = try? text("/proc/\(pid)/task/\(task)/status") else { continue }
            let fields = fields(of: text)
            threads += 1
            voluntary += fields["voluntary_ctxt_switches"] ?? 0
            involuntary += fields["nonvoluntary_ctxt_switches"] ?? 0
        }
        let (user, system) = try ticks(of: pid)
        return ProcessActivity(
            threadCount: threads, voluntarySwitches: voluntary, involuntarySwitches: involuntary,
            userTicks: user, systemTicks: system, ticksPerSecond: Int(coffer_ticks_per_second()))
    }

    private static func ticks(of pid: Int32) throws(LinuxError) -> (user: Int, system: Int) {
        let path = "/proc/\(pid)/stat"
        let text = try text(path)
        // The second field is the name in parentheses, which may hold anything: count from its end.
        guard let end = text.lastIndex(of: ")") else { throw .malformed(path: path, detail: "no name") }
        let fields = text[text.index(after: end)...].split(separator: " ")
        guard fields.count > 12, let user = Int(fields[11]), let system = Int(fields[12]) else {
            throw .malformed(path: path, detail: "no times")
        }
        return (user, system)
    }

    /// The leading number of each `name: number …` line.
    private static func fields(of text: String) -> [Substring: Int] {
        var fields: [Substring: Int] = [:]
        for line in text.split(separator: "\n") {
            guard let colon = line.firstIndex(of: ":") else { continue }
            let value = line[line.index(after: colon)...].split { $0 == " " || $0 == "\t" }.first
            if let number = value.flatMap({ Int($0) }) { fields[line[..<colon]] = number }
        }
        return fields
    }

    private static func text(_ path: String) throws(LinuxError) -> String {
        let number = try check(unsafe coffer_open(path, 0, 0), "open", path: path)
        let bytes = try OwnedDescriptor(owning: number).readAll(limit: Limits.systemFile)
        return String(decoding: bytes, as: UTF8.self)
    }
}
