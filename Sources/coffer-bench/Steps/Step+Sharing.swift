import CofferLinux

extension Step {
    private static let watcherCount = 8
    private static let spreadCount = 20
    private static let followCount = 200
    private static let warmUpCount = 3
    /// Between two saves, so that all processes have come to rest.
    private static let pause = Duration.milliseconds(5)

    /// From before a save of a tenth of the contacts to the moment when the last of eight processes has read
    /// all its values.
    func spreading(in world: World) throws -> [Metric: Double] {
        try world.fill(World.scratch)
        let count = world.objectCount / 10
        let saver = try Worker(.saveGroup, in: world, store: World.scratch, calls: count)
        let watchers = try (0..<Self.watcherCount).map {
            try Worker(.watchGroup, in: world, store: World.scratch, number: $0, calls: count)
        }
        var whole = Latencies(capacity: Self.spreadCount)
        var own = Latencies(capacity: Self.spreadCount)
        try rounds(Self.spreadCount + Self.warmUpCount, saver: saver, watchers: watchers) {
            round, save, seen in
            if round < Self.warmUpCount { return }
            whole.add((seen.max() ?? save.upperBound) - save.lowerBound)
            own.add(save.upperBound - save.lowerBound)
        }
        for watcher in watchers { _ = try watcher.results() }
        return [
            .milliseconds: whole.microseconds(percentile: 50) / 1_000,
            .saveP50: own.microseconds(percentile: 50),
        ]
    }

    /// From the merge of a change of one contact to the list's event, with many rows and with a hundredth of
    /// them.
    ///
    /// What grows with the rows shows in the distance between the two.
    func following(in world: World) throws -> [Metric: Double] {
        var results = try follow(World.longList, of: world.objectCount * 10, in: world)
        let few = try follow(World.shortList, of: world.objectCount / 10, in: world)
        results[.fewRowsP50] = few[.p50]
        results[.roundTrips] = max(results[.roundTrips] ?? 0, few[.roundTrips] ?? 0)
        return results
    }

    private func follow(_ store: String, of objectCount: Int, in world: World) throws -> [Metric: Double] {
        try world.fill(store, objectCount: objectCount)
        let saver = try Worker(.saveGroup, in: world, store: store, objectCount: objectCount, calls: 1)
        let follower = try Worker(.follow, in: world, store: store, objectCount: objectCount)
        try rounds(Self.followCount + Self.warmUpCount, saver: saver, watchers: [follower]) { _, _, _ in }
        return try follower.results()
    }

    /// Lets `saver` save so often, each time once all `watchers` have seen the save before, and then tells
    /// all to end.
    ///
    /// Gives for each round when the save began and ended, and when each watcher had seen it.
    private func rounds(
        _ count: Int, saver: Worker, watchers: [Worker],
        _ body: (_ round: Int, _ save: ClosedRange<UInt64>, _ seen: [UInt64]) -> Void
    ) throws {
        for worker in watchers + [saver] { _ = try worker.expect("ready") }
        for round in 0..<count {
            for watcher in watchers { try watcher.tell("go") }
            Monotonic.sleep(Self.pause)
            try saver.tell("go")
            let saved = try saver.expect("saved").compactMap { UInt64($0) }
            let seen = try watchers.map { try $0.expect("seen").compactMap { UInt64($0) } }
            guard saved.count == 2, saved[0] <= saved[1], seen.allSatisfy({ $0.count == 1 }) else {
                throw BenchError.worker("a worker did not say when it saved or saw")
            }
            body(round, saved[0]...saved[1], seen.map { $0[0] })
        }
        for worker in watchers + [saver] { try worker.tell("end") }
        _ = try saver.results()
    }
}
