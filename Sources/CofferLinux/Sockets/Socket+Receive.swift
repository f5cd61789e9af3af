internal import CLinux

extension Socket {
    /// Adds to `buffer` what has come, with its descriptors, without waiting.
    ///
    /// - Throws: `.bufferFull` or `.tooManyDescriptors` if the peer sends more than allowed.
    package func receive(into buffer: inout ReceiveBuffer) throws(LinuxError) -> ReceiveResult {
        try buffer.makeRoom()
        var descriptors = coffer_descriptors()
        let result = unsafe buffer.withRoom { room in
            unsafe coffer_receive(descriptor.number, room.baseAddress, room.count, &descriptors)
        }
        if result > 0 {
            buffer.grow(by: result)
            if descriptors.count > 0 || descriptors.truncated != 0 { try buffer.own(descriptors) }
            return .received(result)
        }
        switch Int32(-result) {
        case 0, coffer_econnreset, coffer_epipe: return .closed
        case coffer_eagain: return .wouldBlock
        case let errno: throw .system(call: "recvmsg", errno: errno, path: nil)
        }
    }

    /// Adds to `buffer` what comes first, waiting for it: for ever, or until the monotonic `deadline`.
    ///
    /// The result is `.wouldBlock` if nothing came in time. It begins by waiting: what is likely to be there
    /// already is better looked for without.
    package func receive(
        into buffer: inout ReceiveBuffer, until deadline: UInt64?
    ) throws(LinuxError) -> ReceiveResult {
        // poll does the waiting: a thread that waits in recvmsg is also woken, for nothing, when the other
        // end takes what was sent to it.
        while try waitReady(toWrite: false, deadline: deadline) {
            let result = try receive(into: &buffer)
            if result != .wouldBlock { return result }
        }
        return .wouldBlock
    }

    /// Waits until something can be received or the other end is gone; says whether that came in time.
    package func waitUntilReadable(timeout: Duration?) throws(LinuxError) -> Bool {
        try waitReady(toWrite: false, deadline: timeout.map { Monotonic.now + $0.wholeNanoseconds })
    }

    /// Waits until something can be sent or the other end is gone; says whether that came in time.
    package func waitUntilWritable(timeout: Duration?) throws(LinuxError) -> Bool {
        try waitReady(toWrite: true, deadline: timeout.map { Monotonic.now + $0.wholeNanoseconds })
    }

    private func waitReady(toWrite: Bool, deadline: UInt64?) throws(LinuxError) -> Bool {
        try descriptor.waitReady(toWrite: toWrite, deadline: deadline)
    }
}

extension OwnedDescriptor {
    /// Waits until the descriptor is ready; says whether it was before the monotonic `deadline`.
    func waitReady(toWrite: Bool, deadline: UInt64?) throws(LinuxError) -> Bool {
        while true {
            let now = Monotonic.now
            let left = deadline.map { $0 > now ? Int64($0 - now) : 0 } ?? -1
            let result = coffer_wait_ready(number, toWrite ? 1 : 0, left)
            if result != -coffer_eintr { return try check(result, "ppoll") > 0 }
        }
    }
}
