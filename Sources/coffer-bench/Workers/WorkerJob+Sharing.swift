import CofferLinux

extension WorkerJob {
    /// So that a list whose order the cities decide has to move what changed.
    private static let initials = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ").map { String($0) }

    /// Changes the first `calls` contacts in one durable save whenever the parent says `go`.
    func saveGroup() throws {
        let client = try openGroup()
        try client.hold(emails: groupEmails)
        try link.say("ready")
        var dice = Dice(seed: 14)
        while try link.hear().first == "go" {
            let start = Monotonic.now
            try client.setCityOfAll("\(dice.pick(Self.initials)) at \(start)")
            let end = Monotonic.now
            try link.say("saved", "\(start)", "\(end)")
        }
    }

    /// Waits for a save of `saveGroup` whenever the parent says `go`, and tells when all of its values have
    /// been read here.
    func watchGroup() throws {
        let client = try openGroup()
        try client.hold(emails: groupEmails)
        try client.watch()
        try link.say("ready")
        var city = try client.contact(email: ContactGenerator.email(0))?.city ?? ""
        while try link.hear().first == "go" {
            city = try client.nextCityOfAll(after: city)
            let now = Monotonic.now
            try link.say("seen", "\(now)")
        }
    }

    /// Shows all contacts in a list, waits for a change whenever the parent says `go`, and tells when it came
    /// there.
    func follow() throws {
        guard system == .coffer else { throw BenchError.unsupported("'\(system.rawValue)' has no lists") }
        let client = try ListClient(place, watching: ContactGenerator.email(0))
        guard client.rowCount == objectCount else { throw BenchError.wrongAnswer("\(client.rowCount) rows") }
        try link.say("ready")
        var latencies = Latencies(capacity: 1_000)
        let before = client.roundTrips
        while try link.hear().first == "go" {
            latencies.add(try client.nextChange())
            let now = Monotonic.now
            try link.say("seen", "\(now)")
        }
        let roundTrips = client.roundTrips - before
        try client.check()
        try link.report(latencies)
        try link.report(.roundTrips, Double(roundTrips) / Double(max(1, latencies.samples.count)))
    }

    private var groupEmails: [String] { (0..<calls).map(ContactGenerator.email) }

    private func openGroup() throws -> any GroupClient {
        guard let client = try open() as? any GroupClient else {
            throw BenchError.unsupported("'\(system.rawValue)' does not change contacts together")
        }
        return client
    }
}
