import CofferLinux
import CofferSQLite

extension WorkerJob {
    /// Contacts that one saver changes in turn.
    private static let heldCount = 100
    /// Savers that work at once, at most; each changes contacts of its own.
    static let saverCount = 8

    /// Saves `calls` times untimed, says `ready`, then saves from one moment to another that `go` names, one
    /// change at a time.
    func save() throws {
        let client = try open()
        try client.hold(emails: heldEmails)
        for round in 0..<calls {
            _ = try savesUnlessLocked(client, city: "Warm \(number) \(round)", round: round)
        }
        let (start, end) = try beginTogether()
        var latencies = Latencies(capacity: 100_000)
        var savedInTime = 0
        var refused = 0
        var now = Monotonic.now
        while now < end {
            let round = latencies.samples.count
            let isSaved = try savesUnlessLocked(client, city: "City \(number) of \(round)", round: round)
            let after = Monotonic.now
            latencies.add(after - now)
            if !isSaved { refused += 1 } else if after <= end { savedInTime += 1 }
            now = after
        }
        try link.report(.savesPerSecond, Double(savedInTime) * 1e9 / Double(end - start))
        try link.report(latencies, withWorst: true)
        if refused > 0 { try link.report(.refusedSaves, Double(refused)) }
    }

    /// Says `ready`, and waits for the first of the two moments that `go` names.
    func beginTogether() throws -> (start: UInt64, end: UInt64) {
        try link.say("ready")
        let words = try link.hear()
        guard words.count == 3, words[0] == "go", let start = UInt64(words[1]), let end = UInt64(words[2])
        else {
            throw BenchError.worker("heard '\(words.joined(separator: " "))', not 'go'")
        }
        if start > Monotonic.now { Monotonic.sleep(.nanoseconds(start - Monotonic.now)) }
        return (start, end)
    }

    /// Saves; `false` if others held the lock for longer than the system waits.
    private func savesUnlessLocked(_ client: any ContactClient, city: String, round: Int) throws -> Bool {
        do {
            try client.setCity(city, ofHeld: round % Self.heldCount)
            return true
        } catch SQLiteError.busy {
            return false
        }
    }

    /// E-mails that no other saver holds, spread over the store.
    private var heldEmails: [String] {
        let groups = max(1, objectCount / Self.saverCount)
        return (0..<Self.heldCount).map { i in
            let group = i * groups / Self.heldCount
            return ContactGenerator.email((group * Self.saverCount + number) % objectCount)
        }
    }
}
