import CofferLinux

extension Step {
    private static let foldCount = 200
    private static let foldsBetween = 600
    /// Of a clock that `/proc` counts by.
    private static let ticksPerSecond = 100.0

    /// The service's processor time for small saves that go into a folder one by one.
    func folding(in world: World) throws -> [Metric: Double] {
        let machines = try SharingMachines(in: world)
        defer { machines.stop() }
        let plain = try machines.open(SharingMachines.plain, on: .one)
        let shared = try machines.open(SharingMachines.shared, on: .one)
        for client in [plain, shared] {
            for start in stride(from: 0, to: world.objectCount, by: 500) {
                let batch = (start..<min(start + 500, world.objectCount)).map(ContactGenerator.contact)
                try client.insert(batch[...])
            }
            try client.hold(emails: [ContactGenerator.email(0)])
        }
        try machines.waitUntilExported(objectCount: world.objectCount)

        func time(_ count: Int, _ save: (Int) throws -> Void) throws -> Double {
            let before = try machines.processorTicks()
            for round in 0..<count { try save(round) }
            let ticks = try machines.processorTicks() - before
            return Double(ticks) * 1e6 / Self.ticksPerSecond / Double(count)
        }
        func saveAndPut(_ city: String) throws {
            let objects = try machines.objects()
            try shared.setCity(city, ofHeld: 0)
            try machines.waitUntilPut(besides: objects)
        }
        var results: [Metric: Double] = [:]
        results[.plainProcessorTime] = try time(Self.foldCount) {
            try plain.setCity("Plain \($0)", ofHeld: 0)
        }
        results[.processorTime] = try time(Self.foldCount) { try saveAndPut("Early \($0)") }
        for round in 0..<Self.foldsBetween { try saveAndPut("Between \(round)") }
        results[.lateProcessorTime] = try time(Self.foldCount) { try saveAndPut("Late \($0)") }
        return results
    }
}
