import CofferLinux

extension WorkerJob {
    private static let timedCount = 5

    /// Fetches all contacts: first to check every value and to see what memory that takes, then to time it.
    ///
    /// Says `fetched` after the first time, and goes on when it hears something.
    func fetchAll() throws {
        let client = try open()
        var checksum = ContactChecksum()
        try client.forEachContact { checksum.add($0) }
        let memory = try ProcessFacts.memory(of: CurrentProcess.id)
        try link.say("fetched")
        guard try !link.hear().isEmpty else { throw BenchError.worker("the other worker does not answer") }
        guard checksum == .expected(objectCount) else {
            throw BenchError.wrongAnswer("\(checksum), not \(ContactChecksum.expected(objectCount))")
        }
        try link.report(.peakClientMegabytes, Double(memory.peakResident) / 1_048_576)
        var latencies = Latencies(capacity: Self.timedCount)
        for _ in 0..<Self.timedCount {
            var count = 0
            let start = Monotonic.now
            try client.forEachContact { count += $0.age > 0 ? 1 : 0 }
            latencies.add(Monotonic.now - start)
            guard count == objectCount else { throw BenchError.wrongAnswer("\(count) contacts") }
        }
        try link.report(.milliseconds, latencies.microseconds(percentile: 50) / 1_000)
    }

    /// Fetches one contact, and tells when it was there.
    func first(began: UInt64) throws {
        let index = objectCount / 2
        let found = try open().contact(email: ContactGenerator.email(index))
        let now = Monotonic.now
        guard found == ContactGenerator.contact(index) else {
            throw BenchError.wrongAnswer("contact \(index) is another")
        }
        try link.say("answered", "\(now)")
        try link.report(.insideMilliseconds, Double(now - began) / 1e6)
    }

    /// Uses the store once, says `ready`, and keeps it until the parent says something or is gone.
    func idle() throws {
        let client = try open()
        try client.hold(emails: [ContactGenerator.email(number)])
        try link.say("ready")
        _ = try link.hear()
        withExtendedLifetime(client) {}
    }
}
