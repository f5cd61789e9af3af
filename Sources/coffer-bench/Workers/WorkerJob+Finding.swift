import CofferLinux

extension WorkerJob {
    private static let warmUpCount = 2_000
    /// Calls after a pause each.
    private static let idleCount = 200
    /// Long enough that neither end still spins.
    static let idlePause = Duration.milliseconds(5)

    /// Looks contacts up, back to back and then with pauses; each is compared with what it must be.
    func find() throws {
        let client = try open()
        var dice = Dice(seed: 42)
        for _ in 0..<Self.warmUpCount { try check(client, index: dice.below(objectCount), nil) }
        var latencies = Latencies(capacity: calls)
        for _ in 0..<calls { try check(client, index: dice.below(objectCount)) { latencies.add($0) } }
        var idle = Latencies(capacity: Self.idleCount)
        for _ in 0..<Self.idleCount {
            Monotonic.sleep(Self.idlePause)
            try check(client, index: dice.below(objectCount)) { idle.add($0) }
        }
        try link.report(latencies)
        try link.report(.idleP50, idle.microseconds(percentile: 50))
    }

    private func check(_ client: any ContactClient, index: Int, _ body: ((UInt64) -> Void)?) throws {
        let email = ContactGenerator.email(index)
        let start = Monotonic.now
        let found = try client.contact(email: email)
        let end = Monotonic.now
        guard found == ContactGenerator.contact(index) else {
            throw BenchError.wrongAnswer("contact \(index) came as \(found.map { "\($0)" } ?? "nothing")")
        }
        body?(end - start)
    }
}
