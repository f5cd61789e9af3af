import CofferLinux

extension Step {
    private static let savesCount = 300
    private static let rounds = 200
    private static let singles = 5
    private static let openings = 5
    /// Between two saves beside something else.
    private static let besidePause = Duration.milliseconds(2)

    /// What it costs to share a store, with ten rows for each contact, and what comes of it on another
    /// machine.
    func sharing(in world: World) throws -> [Metric: Double] {
        let machines = try SharingMachines(in: world)
        defer { machines.stop() }
        let count = world.objectCount * 10
        let plain = try machines.open(SharingMachines.plain, on: .one)
        try fill(plain, count)
        let plainBytes = try machines.byteCount(of: SharingMachines.plain)
        let own = try machines.open(SharingMachines.shared, on: .one)
        try fill(own, count)
        try machines.waitUntilExported(objectCount: count)
        var results: [Metric: Double] = [:]
        let sharedBytes = try machines.byteCount(of: SharingMachines.shared)
        results[.registerBytes] = Double(sharedBytes - plainBytes) / Double(count)

        // In turns, so that what the machine does besides hits both alike.
        let emails = (0..<100).map(ContactGenerator.email)
        for client in [plain, own] { try client.hold(emails: emails) }
        var times = [Latencies(capacity: Self.savesCount), Latencies(capacity: Self.savesCount)]
        for round in 0..<Self.savesCount {
            for (place, client) in [plain, own].enumerated() {
                let start = Monotonic.now
                try client.setCity("City \(round)", ofHeld: round % emails.count)
                if round >= Self.savesCount / 10 { times[place].add(Monotonic.now - start) }
            }
        }
        results[.plainP50] = times[0].microseconds(percentile: 50)
        results[.saveP50] = times[1].microseconds(percentile: 50)
        try machines.waitUntilExported(objectCount: count)
        results[.changeBytes] = try machines.smallestObject(of: Self.singles) {
            let digest = try machines.digest()
            try own.setCity("Alone \($0)", ofHeld: 0)
            try machines.waitUntilExported(objectCount: count, changedFrom: digest)
        }

        // The service of the other machine is to be as warm as when plain stores are opened.
        for round in 0..<Self.openings {
            withExtendedLifetime(try machines.open("warm-\(round)", on: .other, shared: false)) {}
        }
        let start = Monotonic.now
        let other = try machines.open(SharingMachines.shared, on: .other)
        results[.openFull] = Double(Monotonic.now - start) / 1e3
        try machines.waitUntilEqual(objectCount: count)
        results[.joinMilliseconds] = Double(Monotonic.now - start) / 1e6

        try follow(own, other, into: &results)
        let many = (0..<count / 10).map(ContactGenerator.email)
        try own.hold(emails: many)
        let digest = try machines.digest()
        let before = Monotonic.now
        try own.setCityOfAll("Everywhere")
        try machines.waitUntilEqual(objectCount: count, changedFrom: digest)
        results[.objectsPerSecond] = Double(many.count) * 1e9 / Double(Monotonic.now - before)
        try saveBeside(own, of: machines, count, into: &results)
        try open(machines, into: &results)
        return results
    }

    /// Saves on both machines while a save of a tenth of all objects goes from one to the other.
    private func saveBeside(
        _ own: ContextClient, of machines: SharingMachines, _ count: Int, into results: inout [Metric: Double]
    ) throws {
        let clients = try SharingMachines.Machine.allCases.map {
            try machines.open(SharingMachines.shared, on: $0)
        }
        for (place, client) in clients.enumerated() {
            try client.hold(emails: [ContactGenerator.email(count - 1 - place)])
        }
        let reader = try machines.open(SharingMachines.shared, on: .other)
        let last = ContactGenerator.email(count / 10 - 1)
        var times = [Latencies(capacity: Self.savesCount), Latencies(capacity: Self.savesCount)]
        let digest = try machines.digest()
        try own.setCityOfAll("Beside")
        for round in 0... {
            for (place, client) in clients.enumerated() {
                let start = Monotonic.now
                try client.setCity("Beside \(round)", ofHeld: 0)
                times[place].add(Monotonic.now - start)
            }
            if try reader.contact(email: last)?.city == "Beside" { break }
            Monotonic.sleep(Self.besidePause)
        }
        try machines.waitUntilEqual(objectCount: count, changedFrom: digest)
        results[.foldingP99] = times[0].microseconds(percentile: 99)
        results[.importingP99] = times[1].microseconds(percentile: 99)
    }

    /// How long an application waits for a new store: whatever its container is, that is to be no longer.
    private func open(_ machines: SharingMachines, into results: inout [Metric: Double]) throws {
        var times = [Latencies(capacity: Self.openings), Latencies(capacity: Self.openings)]
        func openNew(_ kinds: [Bool], _ name: String) throws {
            for round in 0..<Self.openings {
                for (place, isShared) in kinds.enumerated() {
                    let start = Monotonic.now
                    let client = try machines.open("\(name)-\(place)-\(round)", on: .other, shared: isShared)
                    times[place].add(Monotonic.now - start)
                    withExtendedLifetime(client) {}
                }
            }
        }
        try openNew([false, true], "new")
        results[.openPlainP50] = times[0].microseconds(percentile: 50)
        results[.openEmptyP50] = times[1].microseconds(percentile: 50)
        times[0] = Latencies(capacity: Self.openings)
        try machines.withoutFolder { try openNew([true], "away") }
        results[.openAwayP50] = times[0].microseconds(percentile: 50)
    }

    private func fill(_ client: ContextClient, _ count: Int) throws {
        for start in stride(from: 0, to: count, by: 500) {
            let batch = (start..<min(start + 500, count)).map(ContactGenerator.contact)
            try client.insert(batch[...])
        }
    }

    /// From before a save on one machine to the moment when its value can be read on the other.
    private func follow(
        _ saver: ContextClient, _ watcher: ContextClient, into results: inout [Metric: Double]
    ) throws {
        try watcher.hold(emails: [ContactGenerator.email(0)])
        try watcher.watch()
        var latencies = Latencies(capacity: Self.rounds)
        var city = try watcher.contact(email: ContactGenerator.email(0))?.city ?? ""
        for round in 0..<Self.rounds {
            let start = Monotonic.now
            try saver.setCity("There \(round)", ofHeld: 0)
            city = try watcher.nextCity(after: city, ofHeld: 0)
            latencies.add(Monotonic.now - start)
        }
        results[.p50] = latencies.microseconds(percentile: 50)
        results[.p99] = latencies.microseconds(percentile: 99)
    }
}
