import CofferLinux

extension WorkerJob {
    private static let walkCount = 5
    /// Faults that fire before those that count.
    private static let firedWarmUp = 100

    /// Walks through all contacts that were found as faults: first to check every value, then to time it.
    func walk() throws {
        let client = try system.openFaults(place)
        var checksum = ContactChecksum()
        let roundTrips = try client.walk { checksum.add($0) }
        guard checksum == .expected(objectCount) else {
            throw BenchError.wrongAnswer("\(checksum), not \(ContactChecksum.expected(objectCount))")
        }
        let faults = try medianWalk { _ = try client.walk($0) }
        let whole = try medianWalk(client.walkWhole)
        try link.report(.milliseconds, faults)
        try link.report(.wholeMilliseconds, whole)
        if system != .sqlite { try link.report(.roundTrips, Double(roundTrips)) }
    }

    private func medianWalk(_ walk: ((Contact) -> Void) throws -> Void) throws -> Double {
        var latencies = Latencies(capacity: Self.walkCount)
        for _ in 0..<Self.walkCount {
            var count = 0
            let start = Monotonic.now
            try walk { count += $0.age > 0 ? 1 : 0 }
            latencies.add(Monotonic.now - start)
            guard count == objectCount else { throw BenchError.wrongAnswer("\(count) contacts") }
        }
        return latencies.microseconds(percentile: 50) / 1_000
    }

    /// Fires faults one by one: those of rows that are not held, then those of rows that are held.
    ///
    /// Says `unheld` and `held` with the number of faults before each of the two, and `fired` after the last;
    /// waits each time to hear something, so that the parent may look at the service's counters.
    func fire() throws {
        let client = try system.openFaults(place)
        try client.learnKeys()
        var dice = Dice(seed: 11)
        var places = Array(0..<objectCount)
        for last in places.indices.reversed() { places.swapAt(last, dice.below(last + 1)) }
        places = Array(places.prefix(calls + Self.firedWarmUp))
        try pause("unheld", places.count)
        let unheld = try fire(client, places)
        try client.holdAll()
        try pause("held", places.count)
        let held = try fire(client, places)
        try pause("fired", 0)
        try link.report(held)
        if system != .sqlite { try link.report(.uncachedP50, unheld.microseconds(percentile: 50)) }
    }

    private func fire(_ client: any FaultClient, _ places: [Int]) throws -> Latencies {
        var latencies = Latencies(capacity: places.count)
        var count = 0
        let ages = try client.ages(of: places) { time in
            count += 1
            if count > Self.firedWarmUp { latencies.add(time) }
        }
        for (place, age) in zip(places, ages) where age != ContactGenerator.contact(place).age {
            throw BenchError.wrongAnswer("contact \(place) has the age \(age)")
        }
        return latencies
    }

    private func pause(_ word: String, _ count: Int) throws {
        try link.say(word, "\(count)")
        guard try !link.hear().isEmpty else { throw BenchError.worker("the other worker does not answer") }
    }
}
