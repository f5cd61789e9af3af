import CofferLinux
import Synchronization

/// Those who follow what the service does, each with a pipe of its own.
///
/// Shared. While there is nobody, whoever could tell something looks at one number and goes on. Nothing is kept for a follower who reads
/// too slowly: it is told how many events it missed.
final class TraceHub: Sendable {
    private let isOn = Atomic<Bool>(false)
    private let sinks = Mutex<[TraceSink]>([])

    /// Whether anybody follows.
    var isTracing: Bool { isOn.load(ordering: .relaxed) }

    /// When something that may be told begins; 0 while nobody follows.
    var beginning: UInt64 { isTracing ? Monotonic.now : 0 }

    /// Tells one more, until the end of a pipe that it gives is closed.
    ///
    /// Events are read from it, a JSON object a line.
    func open() throws(ServiceError) -> OwnedDescriptor {
        let pair: (sink: TraceSink, reader: OwnedDescriptor)
        do throws(LinuxError) { pair = try TraceSink.pipe() } catch { throw .system(error) }
        // Those who have gone are noticed by it.
        emit([TraceEvent("new_follower", category: "service", .instant)])
        pair.sink.name(process: "cofferd")
        let isAdded = sinks.withLock { sinks in
            guard sinks.count < Limits.traces else { return false }
            sinks.append(pair.sink)
            isOn.store(true, ordering: .relaxed)
            return true
        }
        guard isAdded else { throw .tooManyTraces(limit: Limits.traces) }
        return pair.reader
    }

    /// Tells all who follow.
    func emit(_ events: [TraceEvent]) {
        let all = sinks.withLock { $0 }
        for sink in all { sink.write(events) }
        guard all.contains(where: \.isClosed) else { return }
        sinks.withLock { sinks in
            sinks.removeAll(where: \.isClosed)
            if sinks.isEmpty { isOn.store(false, ordering: .relaxed) }
        }
    }
}
