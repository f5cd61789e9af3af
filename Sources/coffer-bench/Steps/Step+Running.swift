import CofferLinux

extension Step {
    private static let clientCount = 8
    private static let idleTime = Duration.seconds(10)
    /// Until the service has done what is left to do after the last client came.
    private static let settlingTime = Duration.milliseconds(500)

    /// From before the client's process is started to its first answer; the service does not run before.
    func starting(in world: World) throws -> [Metric: Double] {
        try world.fill(World.pristine)
        try world.stopService()
        let start = Monotonic.now
        let worker = try Worker(.first, in: world, store: World.pristine)
        guard let answered = try worker.expect("answered").first.flatMap({ UInt64($0) }) else {
            throw BenchError.worker("the worker did not say when it was answered")
        }
        var results = try worker.results()
        results[.milliseconds] = Double(answered - start) / 1e6
        return results
    }

    /// What all threads of the service do while its clients do nothing.
    func idling(in world: World) throws -> [Metric: Double] {
        try world.fill(World.pristine)
        try world.stopService()
        let clients = try (0..<Self.clientCount).map {
            try Worker(.idle, in: world, store: World.pristine, number: $0)
        }
        for client in clients { _ = try client.expect("ready") }
        guard let pid = try world.servicePID() else { throw BenchError.worker("the service is gone") }
        Monotonic.sleep(Self.settlingTime)
        let before = try ProcessFacts.activity(of: pid)
        Monotonic.sleep(Self.idleTime)
        let after = try ProcessFacts.activity(of: pid)
        let memory = try ProcessFacts.memory(of: pid)
        for client in clients { try client.tell("done") }
        for client in clients { _ = try client.results() }
        let switches =
            after.voluntarySwitches + after.involuntarySwitches
            - before.voluntarySwitches - before.involuntarySwitches
        return [
            .processorTicks: Double(
                after.userTicks + after.systemTicks - before.userTicks - before.systemTicks),
            .contextSwitches: Double(switches),
            .serviceMegabytes: Double(memory.resident) / 1_048_576,
        ]
    }
}
