import CofferLinux
import FoundationEssentials

/// Takes events, writes them into a file and adds them up; keeps none in memory.
///
/// Confined.
final class TraceCollector {
    /// Events that a file gets; viewers cannot read more in reasonable time.
    private static let limit = 4_000_000

    private let target: TraceFile?
    private let decoder = JSONDecoder()
    private var pending = Array("{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n".utf8)
    private var written = 0
    private(set) var summary = TraceSummary()
    /// Lines that were not events, and events past the limit.
    private(set) var skippedCount = 0

    /// A collector whose events become the file at `path`, if there is one.
    init(writingTo path: String?) throws(LinuxError) {
        target = try path.map { path throws(LinuxError) in try TraceFile(path) }
    }

    /// Takes a line: an event, or what stands around events in an array.
    func take(_ line: String) throws(LinuxError) {
        let event = line.hasSuffix(",") ? line.dropLast() : line[...]
        if event.isEmpty || event == "[" { return }
        guard let parsed = TraceLine.parse(event, decoder), written < Self.limit else {
            skippedCount += 1
            return
        }
        summary.add(parsed)
        guard target != nil else { return }
        if written > 0 { pending += Array(",\n".utf8) }
        written += 1
        pending += Array(event.utf8)
        if pending.count > 64 << 10 { try flush() }
    }

    /// Takes all events of a file that processes wrote.
    func take(contentsOf descriptor: OwnedDescriptor) throws(LinuxError) {
        let lines = LineReader(descriptor)
        while let line = try lines.next() { try take(line) }
    }

    /// Ends the file, and gives it its name.
    func finish() throws(LinuxError) {
        pending += Array("\n]}\n".utf8)
        try flush()
        try target?.finish()
    }

    /// Takes away what has no name yet: the recording failed.
    func discard() { target?.discard() }

    private func flush() throws(LinuxError) {
        try target?.descriptor.writeAll(pending)
        pending = []
    }
}
