internal import CLinux
internal import Synchronization

/// Where one process writes the events of a trace: a file that others may write too, or a pipe.
///
/// Shared. It keeps nothing in memory and never waits for a reader: what the pipe does not take at once, and
/// what is past the file's limit, is counted and forgotten.
package final class TraceSink: Sendable {
    private let descriptor: OwnedDescriptor
    /// What follows each event.
    private let separator: [UInt8]
    private let byteLimit: Int
    private let written = Atomic<Int>(0)
    private let dropped = Atomic<Int>(0)
    /// Of those dropped, how many the reader knows of.
    private let told = Atomic<Int>(0)
    private let closed = Atomic<Bool>(false)

    private init(_ descriptor: OwnedDescriptor, separator: String, byteLimit: Int) {
        self.descriptor = descriptor
        self.separator = Array(separator.utf8)
        self.byteLimit = byteLimit
    }

    /// A pipe whose reading end the caller gets: an event a line.
    ///
    /// The process ignores SIGPIPE from then on, so that writing for a reader that has gone is only an error.
    package static func pipe() throws(LinuxError) -> (sink: TraceSink, reader: OwnedDescriptor) {
        var ends: (Int32, Int32) = (-1, -1)
        let result = unsafe withUnsafeMutableBytes(of: &ends) {
            unsafe coffer_trace_pipe(
                $0.assumingMemoryBound(to: Int32.self).baseAddress, Int32(Limits.tracePipeBytes))
        }
        try check(result, "pipe2")
        let (reader, writer) = (OwnedDescriptor(owning: ends.0), OwnedDescriptor(owning: ends.1))
        return (TraceSink(writer, separator: "\n", byteLimit: .max), reader)
    }

    /// The file at `path`, to whose end events are written; made if it is missing.
    ///
    /// It is an array of JSON that lacks its end, which the viewers allow for. Processes that write the same
    /// file do not mix up their events: each goes to the end in one piece. A process that opens it waits for
    /// others that are opening it, so that one of them begins the array.
    package static func file(
        _ path: String, byteLimit: Int = Limits.traceFileBytes
    ) throws(LinuxError) -> TraceSink {
        if path.utf8.contains(0) { throw .invalidPath(path, reason: .nul) }
        let flags: OpenFlags = [.writeOnly, .append, .create, .noFollow]
        let descriptor = OwnedDescriptor(
            owning: try check(unsafe coffer_open(path, flags.rawValue, 0o600), "open", path: path))
        if try descriptor.facts().kind == .file {
            try check(coffer_lock_waiting(descriptor.number), "fcntl", path: path)
            defer { _ = coffer_unlock(descriptor.number) }
            if try descriptor.facts().byteCount == 0 { try descriptor.writeAll(Array("[\n".utf8)) }
        }
        return TraceSink(descriptor, separator: ",\n", byteLimit: byteLimit)
    }

    /// Events that were not written.
    package var droppedCount: Int { dropped.load(ordering: .relaxed) }

    /// Whether the reader has gone.
    package var isClosed: Bool { closed.load(ordering: .relaxed) }

    /// Writes events of the calling thread, all together or none.
    package func write(_ events: [TraceEvent]) {
        if isClosed { return }
        let (process, thread) = (CurrentProcess.id, Int32(clamping: WorkerThread.currentNumber))
        let (count, lost) = (events.count, droppedCount)
        var events = events
        if lost > told.load(ordering: .relaxed) { events.append(loss(lost)) }
        var bytes: [UInt8] = []
        for event in events {
            bytes += event.json(process: process, thread: thread)
            bytes += separator
        }
        let total = written.add(bytes.count, ordering: .relaxed).newValue
        guard total <= byteLimit, bytes.count <= Limits.traceWrite else {
            dropped.add(count, ordering: .relaxed)
            return
        }
        let result = unsafe bytes.withUnsafeBytes {
            unsafe coffer_write(descriptor.number, $0.baseAddress, $0.count)
        }
        if result == bytes.count { return told.store(lost, ordering: .relaxed) }
        dropped.add(count, ordering: .relaxed)
        if result == -Int(coffer_epipe) { closed.store(true, ordering: .relaxed) }
    }

    private func loss(_ count: Int) -> TraceEvent {
        let new = count - told.load(ordering: .relaxed)
        return TraceEvent(
            "dropped", category: "", .instant, arguments: [("count", .number(Int64(new)))])
    }

    /// Says what the process is called; to be written first.
    package func name(process: String) {
        write([
            TraceEvent(
                "process_name", category: "", .name, arguments: [("name", .text(process))])
        ])
    }
}
