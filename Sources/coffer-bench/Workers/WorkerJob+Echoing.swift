import CofferLinux

extension WorkerJob {
    /// As long as a small request.
    private static let messageBytes = 200
    private static let warmUpCount = 2_000
    private static let idleCount = 200

    /// Sends bytes to a second process and waits for them, by plain blocking writes and reads.
    func ping() throws {
        let echo = try Worker(.echo, system: system, place: place, objectCount: objectCount)
        let message = [UInt8](repeating: 0x43, count: Self.messageBytes)
        for _ in 0..<Self.warmUpCount { _ = try Self.roundTrip(message, over: echo.descriptor) }
        var latencies = Latencies(capacity: calls)
        for _ in 0..<calls { latencies.add(try Self.roundTrip(message, over: echo.descriptor)) }
        var idle = Latencies(capacity: Self.idleCount)
        for _ in 0..<Self.idleCount {
            Monotonic.sleep(Self.idlePause)
            idle.add(try Self.roundTrip(message, over: echo.descriptor))
        }
        try link.report(latencies)
        try link.report(.idleP50, idle.microseconds(percentile: 50))
    }

    /// Sends back what comes, until the other end is gone.
    func echo() throws {
        while true {
            let bytes = try link.descriptor.read(upTo: 4_096)
            if bytes.isEmpty { return }
            try link.descriptor.writeAll(bytes)
        }
    }

    private static func roundTrip(_ message: [UInt8], over socket: OwnedDescriptor) throws -> UInt64 {
        let start = Monotonic.now
        try socket.writeAll(message)
        var missing = message.count
        while missing > 0 {
            let bytes = try socket.read(upTo: missing)
            if bytes.isEmpty { throw BenchError.worker("the echo is gone") }
            missing -= bytes.count
        }
        return Monotonic.now - start
    }
}
