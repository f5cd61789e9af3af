import CofferLinux

extension WorkerJob {
    /// Between two saves, so that both processes have come to rest.
    private static let pause = Duration.milliseconds(5)
    private static let warmUpCount = 20
    private static let watchedEmail = ContactGenerator.email(0)
    private static let timeout = Duration.seconds(20)

    /// Saves one change after another, each seen by a second process before the next.
    func notify() throws {
        let client = try open()
        try client.hold(emails: [Self.watchedEmail])
        let watcher = try Worker(
            .watch, system: system, place: place, objectCount: objectCount, calls: calls + Self.warmUpCount)
        _ = try watcher.expect("ready", timeout: Self.timeout)
        var whole = Latencies(capacity: calls)
        var own = Latencies(capacity: calls)
        for round in 0..<calls + Self.warmUpCount {
            Monotonic.sleep(Self.pause)
            let city = "Seen \(round) at \(Monotonic.now)"
            let start = Monotonic.now
            try client.setCity(city, ofHeld: 0)
            let saved = Monotonic.now
            let words = try watcher.expect("seen", timeout: Self.timeout)
            guard words.count == 2, words[0] == city, let seen = UInt64(words[1]) else {
                throw BenchError.wrongAnswer("'\(words.joined(separator: " "))' was seen, not '\(city)'")
            }
            if round < Self.warmUpCount { continue }
            whole.add(seen - start)
            own.add(saved - start)
        }
        try link.report(whole)
        try link.report(.saveP50, own.microseconds(percentile: 50))
    }

    /// Tells of each change when its new value can be read here.
    func watch() throws {
        let client = try open()
        try client.hold(emails: [Self.watchedEmail])
        try client.watch()
        try link.say("ready")
        var city = ""
        for _ in 0..<calls {
            city = try client.nextCity(after: city, ofHeld: 0)
            let now = Monotonic.now
            try link.say("seen", city, "\(now)")
        }
    }
}
