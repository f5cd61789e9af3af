import Coffer
import CofferLinux

extension WorkerJob {
    /// Objects whose properties are read in turn, more than fit into the nearest cache of a processor.
    private static let readObjects = 1_000
    /// How often all of them are read; the middle counts.
    private static let readRounds = 400

    /// Reads one property after the other of objects whose values are there.
    func readProperties() throws {
        let container = try system.contactContainer(place)
        try container.loadStores()
        let context = container.newContext(name: "bench", author: "coffer-bench")
        context.register(ManagedContact.self)
        var request = FetchRequest<ManagedContact>()
        request.limit = Self.readObjects
        let contacts = try context.fetch(request)
        let integers = try time(contacts) { UInt64(truncatingIfNeeded: $0.age) }
        let doubles = try time(contacts) { $0.balance.bitPattern }
        let texts = try time(contacts) { UInt64($0.firstName.utf8.count) }
        let longTexts = try time(contacts) { UInt64($0.email.utf8.count) }
        try link.report(.integerNanoseconds, integers)
        try link.report(.doubleNanoseconds, doubles)
        try link.report(.textNanoseconds, texts)
        try link.report(.longTextNanoseconds, longTexts)
    }

    /// The nanoseconds of one call of `read`, which must give one result in all rounds.
    @inline(__always)
    private func time(_ contacts: [ManagedContact], _ read: (ManagedContact) -> UInt64) throws -> Double {
        var rounds = Latencies(capacity: Self.readRounds)
        var sums: Set<UInt64> = []
        for _ in 0..<Self.readRounds {
            var sum: UInt64 = 0
            let start = Monotonic.now
            for contact in contacts { sum &+= read(contact) }
            rounds.add(Monotonic.now - start)
            sums.insert(sum)
        }
        guard sums.count == 1, !sums.contains(0) else { throw BenchError.wrongAnswer("sums \(sums)") }
        return rounds.microseconds(percentile: 50) * 1_000 / Double(contacts.count)
    }

    /// Weighs faults and then the same objects with their values, by what the process has resident.
    ///
    /// What malloc keeps for later is given back before each weighing, so that only what is in use counts.
    func weigh() throws {
        let container = try system.contactContainer(place)
        try container.loadStores()
        let context = container.newContext(name: "bench", author: "coffer-bench")
        context.register(ManagedContact.self)
        // What a first fetch makes for good does not count as the weight of objects.
        var one = FetchRequest<ManagedContact>()
        one.limit = 1
        let first = try context.fetch(one)
        let before = try resident()
        var request = FetchRequest<ManagedContact>()
        request.includesPropertyValues = false
        let faults = try context.fetch(request)
        guard faults.count == objectCount else { throw BenchError.wrongAnswer("\(faults.count) contacts") }
        let withFaults = try resident()
        let contacts = try context.fetch(FetchRequest<ManagedContact>())
        let withValues = try resident()
        guard contacts.count(where: \.isFault) == 0, contacts.count == objectCount else {
            throw BenchError.wrongAnswer("\(contacts.count) contacts, some of them faults")
        }
        try link.report(.faultBytes, Double(withFaults - before) / Double(objectCount))
        try link.report(.objectBytes, Double(withValues - before) / Double(objectCount))
        withExtendedLifetime((first, faults)) {}
    }

    private func resident() throws -> Int {
        Allocator.returnFreeMemory()
        return try ProcessFacts.memory(of: CurrentProcess.id).resident
    }
}
