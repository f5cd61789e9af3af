import CofferLinux
import Synchronization

/// The followers of what the service does, each with a pipe of its own.
///
/// Shared. While there are none, a thread that could tell something looks at one number and goes on. Nothing
/// is kept for a follower that reads too slowly: it is told how many events it missed.
package final class TraceHub: Sendable {
    private let isOn = Atomic<Bool>(false)
    private let followers = Mutex<[Follower]>([])

    private struct Follower: Sendable {
        let sink: TraceSink
        let client: ClientIdentity
    }

    /// A hub without followers.
    package init() {}

    /// Whether there is a follower.
    var isTracing: Bool { isOn.load(ordering: .relaxed) }

    /// When something that may be told begins; 0 while there is no follower.
    var beginning: UInt64 { isTracing ? Monotonic.now : 0 }

    /// Tells one more, until the end of a pipe that it gives is closed.
    ///
    /// Events are read from it, a JSON object a line.
    func open(for client: ClientIdentity) throws(ServiceError) -> OwnedDescriptor {
        let pair: (sink: TraceSink, reader: OwnedDescriptor)
        do throws(LinuxError) { pair = try TraceSink.pipe() } catch { throw .system(error) }
        // Writing to them reveals the followers that have gone.
        emit([TraceEvent("new_follower", category: "service", .instant)])
        pair.sink.name(process: "cofferd")
        try followers.withLock { followers throws(ServiceError) in
            guard followers.count < Limits.traces else { throw .tooManyTraces(limit: Limits.traces) }
            guard followers.count(where: { $0.client == client }) < Limits.tracesOfClient else {
                throw .tooManyTraces(limit: Limits.tracesOfClient)
            }
            followers.append(Follower(sink: pair.sink, client: client))
            isOn.store(true, ordering: .relaxed)
        }
        return pair.reader
    }

    /// Tells all followers.
    func emit(_ events: [TraceEvent]) {
        let all = followers.withLock { $0 }
        for follower in all { follower.sink.write(events) }
        guard all.contains(where: \.sink.isClosed) else { return }
        followers.withLock { followers in
            followers.removeAll(where: \.sink.isClosed)
            if followers.isEmpty { isOn.store(false, ordering: .relaxed) }
        }
    }
}
