internal import Synchronization

/// One end of a stream of bytes: a socket and, once both ends have it, memory in which one hands bytes to the
/// other while that looks.
///
/// Shared. One thread at a time sends, one at a time receives, through its `StreamInput`. To put bytes down
/// for a receiver that spins costs a copy; through the socket they cost each end a system call, and both
/// together the time in which most answers are made.
package final class StreamEnd: Sendable {
    package let socket: Socket
    /// Whether there is memory; set once, after `memory`.
    private let hasMemory = Atomic(false)
    // Written before `hasMemory` is set, under `adoption`, and read only after.
    private nonisolated(unsafe) var memory: SharedFrameMemory?
    private let adoption = Mutex(())
    /// Bytes that went through the socket, written by the thread that sends.
    private let sent = Atomic<UInt64>(0)
    private let isOver = Atomic(false)

    /// The end of a stream that goes through `socket` alone at first.
    package init(_ socket: Socket) { self.socket = socket }

    /// Uses `memory` from now on; `false` if it had some already.
    package func adopt(_ memory: SharedFrameMemory) -> Bool {
        adoption.withLock { _ in
            if hasMemory.load(ordering: .relaxed) { return false }
            unsafe self.memory = memory
            hasMemory.store(true, ordering: .releasing)
            return true
        }
    }

    /// Ends both directions, in memory too: the other end, and threads that wait at this one, see `.closed`.
    package func shutDown() {
        isOver.store(true, ordering: .releasing)
        socket.shutDown()
    }

    /// Whether this end was shut down.
    var isShutDown: Bool { isOver.load(ordering: .acquiring) }

    /// How many bytes went through the socket so far.
    package var sentThroughSocket: Int { Int(sent.load(ordering: .relaxed)) }

    /// Where bytes may be found.
    var sharedMemory: SharedFrameMemory? { hasMemory.load(ordering: .acquiring) ? unsafe memory : nil }

    /// Sends `header` and then `payload`, from byte `offset` of the two on, without waiting; as
    /// `Socket.send`.
    package func send(
        header: [UInt8], payload: [UInt8], from offset: Int = 0, descriptors: [OwnedDescriptor] = []
    ) throws(LinuxError) -> SendResult {
        guard let memory = sharedMemory else {
            return count(
                try socket.send(header: header, payload: payload, from: offset, descriptors: descriptors))
        }
        if offset == 0, descriptors.isEmpty, !isShutDown,
            memory.outgoing.put(header, payload, sent: sent.load(ordering: .relaxed))
        {
            return .sent(header.count + payload.count)
        }
        let result = count(
            try socket.send(header: header, payload: payload, from: offset, descriptors: descriptors))
        memory.outgoing.mark()
        return result
    }

    /// Sends `parts` one after the other, from byte `offset` of the whole on, without waiting; as
    /// `Socket.send`.
    package func send(_ parts: [[UInt8]], from offset: Int = 0) throws(LinuxError) -> SendResult {
        let result = count(try socket.send(parts, from: offset))
        sharedMemory?.outgoing.mark()
        return result
    }

    private func count(_ result: SendResult) -> SendResult {
        if case .sent(let byteCount) = result {
            // One thread at a time sends: nothing comes between the two.
            sent.store(sent.load(ordering: .relaxed) &+ UInt64(byteCount), ordering: .relaxed)
        }
        return result
    }
}
