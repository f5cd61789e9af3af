/// What one end of a stream has received and not yet taken.
///
/// One reader at a time has it.
package struct StreamInput: ~Copyable, Sendable {
    /// What waits.
    package var buffer: ReceiveBuffer
    /// Bytes that came through the socket so far.
    package private(set) var received: UInt64 = 0
    /// Whether the socket may have more, as far as its reader knows.
    private var mayHaveMore = true
    /// Whether bytes may be passed in memory at this moment, though this end does not spin.
    package private(set) var isPolling = false

    /// Nothing yet, and at most `limit` bytes.
    package init(limit: Int = Limits.receiveBuffer) { buffer = ReceiveBuffer(limit: limit) }

    /// Adds what has come, without waiting.
    ///
    /// - Throws: as `Socket.receive`, and `.wrongSize` if the other end says that it passed more in memory
    ///   than it can.
    package mutating func receive(from end: StreamEnd) throws(LinuxError) -> ReceiveResult {
        if isPolling { return try stopPolling(end) }
        return remember(try end.socket.receive(into: &buffer))
    }

    /// Adds what comes first through the socket, waiting for it: for ever, or until the monotonic `deadline`.
    ///
    /// - Throws: as `receive(from:)`.
    package mutating func receive(
        from end: StreamEnd, until deadline: UInt64?
    ) throws(LinuxError) -> ReceiveResult {
        if isPolling {
            let result = try stopPolling(end)
            if result != .wouldBlock { return result }
        }
        return remember(try end.socket.receive(into: &buffer, until: deadline))
    }

    /// Adds what has come, without waiting; what comes until the next poll may be passed in memory, of which
    /// no event tells.
    ///
    /// For a receiver that soon polls again: a poll that finds nothing takes no system call. `receive(from:)`
    /// stops polling.
    ///
    /// - Throws: as `receive(from:)`.
    package mutating func poll(_ end: StreamEnd) throws(LinuxError) -> ReceiveResult {
        guard let place = end.sharedMemory?.incoming else { return try receive(from: end) }
        if isPolling {
            if !hasNews(at: end) { return .wouldBlock }
        } else {
            if mayHaveMore {
                let result = try receive(from: end)
                if result != .wouldBlock { return result }
            }
            isPolling = true
            if !place.open(received: received) { return .wouldBlock }
        }
        return try stopPolling(end)
    }

    /// Whether something was passed in memory since the last poll, went through the socket, or ended the
    /// stream; `false` for an end that does not poll.
    package func hasNews(at end: StreamEnd) -> Bool {
        guard isPolling, let place = end.sharedMemory?.incoming else { return false }
        return !place.isUntouched(received: received) || end.isShutDown
    }

    private mutating func stopPolling(_ end: StreamEnd) throws(LinuxError) -> ReceiveResult {
        isPolling = false
        guard let place = end.sharedMemory?.incoming else { return .wouldBlock }
        return try close(place, end)
    }

    private mutating func remember(_ result: ReceiveResult) -> ReceiveResult {
        if case .received(let byteCount) = result {
            received &+= UInt64(byteCount)
            // What rode on it, and a full buffer, end a reception before its time.
            mayHaveMore = !buffer.hasRoom || buffer.descriptorCount > 0
        } else {
            mayHaveMore = false
        }
        return result
    }

    /// Adds what comes within the moment that `policy` spins, if it does; after `.wouldBlock` go to sleep.
    ///
    /// - Throws: as `receive(from:)`.
    package mutating func receive(
        from end: StreamEnd, spinning policy: inout SpinPolicy
    ) throws(LinuxError) -> ReceiveResult {
        if mayHaveMore || isPolling {
            let result = try receive(from: end)
            if result != .wouldBlock {
                policy.ended()
                return result
            }
        }
        let result =
            if let memory = end.sharedMemory { try spin(policy: &policy, memory.incoming, end) } else {
                try spin(policy: &policy, end)
            }
        if result == .wouldBlock { mayHaveMore = true }
        return result
    }

    private mutating func spin(
        policy: inout SpinPolicy, _ end: StreamEnd
    ) throws(LinuxError) -> ReceiveResult {
        var result = ReceiveResult.wouldBlock
        _ = try policy.spin { () throws(LinuxError) in
            result = try receive(from: end)
            return result != .wouldBlock
        }
        return result
    }

    private mutating func spin(
        policy: inout SpinPolicy, _ place: SharedFrameSlot, _ end: StreamEnd
    ) throws(LinuxError) -> ReceiveResult {
        var result = ReceiveResult.wouldBlock
        var isOpen = false
        let came = try policy.spin { () throws(LinuxError) in
            if isOpen {
                if place.isUntouched(received: received), !end.isShutDown { return false }
            } else {
                isOpen = true
                if !place.open(received: received) { return false }
            }
            isOpen = false
            result = try close(place, end)
            return result != .wouldBlock
        }
        // Also for the other end that is gone, or says nothing of what it sent.
        if isOpen { result = try close(place, end) }
        if !came, result != .wouldBlock { policy.ended() }
        return result
    }

    /// Stops polling, and takes what was passed in memory, or else what the socket has.
    private mutating func close(_ place: SharedFrameSlot, _ end: StreamEnd) throws(LinuxError)
        -> ReceiveResult
    {
        let found = try place.close()
        // What was passed in memory to an end that is shut down comes too late, as through its socket.
        guard found.byteCount > 0, !end.isShutDown else { return try receive(from: end) }
        try unsafe buffer.append(found.byteCount) { unsafe place.copy(into: $0) }
        mayHaveMore = found.isMarked
        return .received(found.byteCount)
    }
}
