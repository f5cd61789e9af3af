import CofferLinux

extension Step {
    private static let writerCount = 4
    private static let window = Duration.seconds(3)

    func opening(in world: World) throws -> [Metric: Double] {
        try world.fill(World.longList, objectCount: world.objectCount * 10)
        return try Worker(.open, in: world, store: World.longList).results()
    }

    func savingWhole(in world: World) throws -> [Metric: Double] {
        try Worker(.saveWhole, in: world, store: world.newStoreName()).results()
    }

    func retyping(in world: World) throws -> [Metric: Double] {
        let objectCount = world.objectCount * 10
        try world.fill(World.longList, objectCount: objectCount)
        return try Worker(.retype, in: world, store: World.longList, objectCount: objectCount).results()
    }

    func dumping(in world: World) throws -> [Metric: Double] {
        let objectCount = world.objectCount * 10
        try world.fill(World.longList, objectCount: objectCount)
        return try Worker(.dump, in: world, store: World.longList, objectCount: objectCount).results()
    }

    /// The slowest hundredth of the saves of four processes, alone and while another one copies the store
    /// again and again; of each the worst process counts.
    func backingUp(in world: World) throws -> [Metric: Double] {
        let alone = try saving(Self.writerCount, in: world, for: Self.window)
        let copier = try Worker(.backUp, in: world, store: World.scratch)
        let beside = try saving(Self.writerCount, in: world, for: Self.window, beside: [copier])
        var results = try copier.results()
        results[.aloneP99] = alone.compactMap { $0[.p99] }.max()
        results[.p99] = beside.compactMap { $0[.p99] }.max()
        return results
    }
}
