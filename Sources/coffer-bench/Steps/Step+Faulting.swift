import CofferLinux

extension Step {
    private static let fireCount = 5_000
    private static let traverseCount = 200

    func reading(in world: World) throws -> [Metric: Double] {
        try world.fill(World.pristine)
        return try Worker(.readProperties, in: world, store: World.pristine).results()
    }

    func walking(in world: World) throws -> [Metric: Double] {
        try world.fill(World.pristine)
        return try Worker(.walk, in: world, store: World.pristine).results()
    }

    /// Single faults; if a service answers, its counters must say that all of the second half came from its
    /// row cache.
    func firing(in world: World) throws -> [Metric: Double] {
        try world.fill(World.pristine)
        // Rows that the step before held are of no use to this one.
        try world.stopService()
        let calls = min(Self.fireCount, world.objectCount / 2)
        let worker = try Worker(.fire, in: world, store: World.pristine, calls: calls)
        let (unheld, before) = (try worker.expect("unheld"), try hits(in: world))
        try worker.tell("go")
        let (held, between) = (try worker.expect("held"), try hits(in: world))
        try worker.tell("go")
        _ = try worker.expect("fired")
        let after = try hits(in: world)
        try worker.tell("go")
        if let before, let between, let after {
            // If the service was lost meanwhile, the counters begin again at 0: then they no longer fit,
            // which must not trap.
            guard unheld.count == 1, held == unheld, between == before, after >= between,
                after - between == UInt64(held[0]) ?? 0
            else {
                throw BenchError.wrongAnswer(
                    "of \(held) faults some came from the row cache that should not, or not all that should: its counter "
                        + "went from \(before) to \(between) and \(after)")
            }
        }
        return try worker.results()
    }

    private func hits(in world: World) throws -> UInt64? {
        try world.counter("CacheHits", ofStore: World.pristine)
    }

    func traversing(in world: World) throws -> [Metric: Double] {
        try world.fill(World.orders, by: .fillOrders)
        return try Worker(.traverse, in: world, store: World.orders, calls: Self.traverseCount).results()
    }

    func weighing(in world: World) throws -> [Metric: Double] {
        let objectCount = world.objectCount * 10
        try world.fill(World.longList, objectCount: objectCount)
        return try Worker(.weigh, in: world, store: World.longList, objectCount: objectCount).results()
    }
}
