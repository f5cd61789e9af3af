import CofferLinux

extension Step {
    /// Untimed saves of all processes together: past a checkpoint, after which the log is written over and no
    /// longer grows, as in any process that has run for a while.
    private static let warmUpCount = 1_200

    /// Lets so many processes save over one window of time.
    func savers(_ count: Int, in world: World, for window: Duration) throws -> [Metric: Double] {
        let results = try saving(count, in: world, for: window)
        if count == 1 { return results[0] }
        // Percentiles of several processes cannot be put together; the sum and the worst can.
        var total: [Metric: Double] = [:]
        for result in results {
            total[.savesPerSecond, default: 0] += result[.savesPerSecond] ?? 0
            total[.worst] = max(total[.worst] ?? 0, result[.worst] ?? 0)
            if let refused = result[.refusedSaves] { total[.refusedSaves, default: 0] += refused }
        }
        return total
    }

    /// What each of so many processes that save at once measures, beside `others` that begin with them.
    func saving(
        _ count: Int, in world: World, for window: Duration, beside others: [Worker] = []
    ) throws -> [[Metric: Double]] {
        try world.fill(World.scratch)
        let workers = try (0..<count).map {
            try Worker(.save, in: world, store: World.scratch, number: $0, calls: Self.warmUpCount / count)
        }
        for worker in workers + others { _ = try worker.expect("ready") }
        let start = Monotonic.now + Duration.milliseconds(20).wholeNanoseconds
        let end = start + window.wholeNanoseconds
        for worker in workers + others { try worker.tell("go", "\(start)", "\(end)") }
        return try workers.map { try $0.results() }
    }
}
