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
    /// Whether bytes may be handed over at this moment, though nobody spins.
    package private(set) var isLooking = false

    /// Nothing yet, and at most `limit` bytes.
    package init(limit: Int = Limits.receiveBuffer) { buffer = ReceiveBuffer(limit: limit) }

    /// Adds what has come, without waiting.
    ///
    /// - Throws: as `Socket.receive`, and `.wrongSize` where the other end says that it handed over more than it can.
    package mutating func receive(from end: StreamEnd) throws(LinuxError) -> ReceiveResult {
        if isLooking { return try lookAway(end) }
        return note(try end.socket.receive(into: &buffer))
    }

    /// Adds what comes first through the socket, waiting for it: for ever, or until the monotonic `deadline`.
    ///
    /// - Throws: as `receive(from:)`.
    package mutating func receive(
        from end: StreamEnd, until deadline: UInt64?
    ) throws(LinuxError) -> ReceiveResult {
        if isLooking {
            let result = try lookAway(end)
            if result != .wouldBlock { return result }
        }
        return note(try end.socket.receive(into: &buffer, until: deadline))
    }

    /// Adds what has come, without waiting; what comes until the next look may be handed over, of which no event tells.
    ///
    /// For who looks again soon: a look at which nothing has come takes no system call. `receive(from:)` looks away.
    ///
    /// - Throws: as `receive(from:)`.
    package mutating func look(at end: StreamEnd) throws(LinuxError) -> ReceiveResult {
        guard let place = end.handover?.incoming else { return try receive(from: end) }
        if isLooking {
            if !hasNews(at: end) { return .wouldBlock }
        } else {
            if mayHaveMore {
                let result = try receive(from: end)
                if result != .wouldBlock { return result }
            }
            isLooking = true
            if !place.open(received: received) { return .wouldBlock }
        }
        return try lookAway(end)
    }

    /// Whether something was handed over since the last look, went through the socket, or ended the stream; `false` for who does not look.
    package func hasNews(at end: StreamEnd) -> Bool {
        guard isLooking, let place = end.handover?.incoming else { return false }
        return !place.isUntouched(received: received) || end.isShutDown
    }

    private mutating func lookAway(_ end: StreamEnd) throws(LinuxError) -> ReceiveResult {
        isLooking = false
        guard let place = end.handover?.incoming else { return .wouldBlock }
        return try close(place, end)
    }

    private mutating func note(_ result: ReceiveResult) -> ReceiveResult {
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
        if mayHaveMore || isLooking {
            let result = try receive(from: end)
            if result != .wouldBlock {
                policy.ended()
                return result
            }
        }
        let result =
            if let memory = end.handover { try spin(policy: &policy, memory.incoming, end) } else {
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
        policy: inout SpinPolicy, _ place: HandoverPlace, _ end: StreamEnd
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

    /// Looks away, and takes what was handed over, or else what the socket has.
    private mutating func close(_ place: HandoverPlace, _ end: StreamEnd) throws(LinuxError) -> ReceiveResult
    {
        let found = try place.close()
        // What was handed over to an end that is shut down comes too late, as through its socket.
        guard found.byteCount > 0, !end.isShutDown else { return try receive(from: end) }
        try unsafe buffer.append(found.byteCount) { unsafe place.copy(into: $0) }
        mayHaveMore = found.isMarked
        return .received(found.byteCount)
    }
}
