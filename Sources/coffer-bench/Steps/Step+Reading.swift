import CofferLinux

extension Step {
    /// Calls back to back, after warming up.
    private static let findCount = 20_000
    private static let notifyCount = 200
    private static let relateCount = 400

    func finding(in world: World) throws -> [Metric: Double] {
        if world.system == .socketpair {
            return try Worker(.ping, in: world, store: "", calls: Self.findCount).results()
        }
        try world.fill(World.pristine)
        return try Worker(.find, in: world, store: World.pristine, calls: Self.findCount).results()
    }

    /// With a newly started service, so that its peak is that of this step.
    func fetching(in world: World) throws -> [Metric: Double] {
        try world.fill(World.pristine)
        try world.stopService()
        let worker = try Worker(.fetchAll, in: world, store: World.pristine)
        _ = try worker.expect("fetched")
        let service = try world.servicePID().map { try ProcessFacts.memory(of: $0) }
        try worker.tell("go")
        var results = try worker.results()
        if let service { results[.peakServiceMegabytes] = Double(service.peakResident) / 1_048_576 }
        return results
    }

    func relating(in world: World) throws -> [Metric: Double] {
        try world.fill(World.orders, by: .fillOrders)
        return try Worker(.findOrders, in: world, store: World.orders, calls: Self.relateCount).results()
    }

    func notifying(in world: World) throws -> [Metric: Double] {
        try world.fill(World.scratch)
        return try Worker(.notify, in: world, store: World.scratch, calls: Self.notifyCount).results()
    }
}
