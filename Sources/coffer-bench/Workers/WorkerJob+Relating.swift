import CofferLinux

extension WorkerJob {
    /// One in twenty of a region's orders: about 250 of 100,000.
    private static let leastTotal = 950.0
    private static let relatedWarmUp = 20

    /// Makes the store of orders.
    func fillOrders() throws { try system.openOrders(place).fill(OrderGenerator(objectCount: objectCount)) }

    /// Looks orders up by the region of their customers; the first answer for each region is compared with
    /// what it must be.
    func findOrders() throws {
        let client = try system.openOrders(place)
        let orders = OrderGenerator(objectCount: objectCount)
        for region in 0..<OrderGenerator.regionCount {
            let expected = orders.expected(region: region, atLeast: Self.leastTotal)
            let found = try search(client, region)
            guard found == expected else {
                throw BenchError.wrongAnswer("\(found) in region \(region), not \(expected)")
            }
        }
        var dice = Dice(seed: 13)
        for _ in 0..<Self.relatedWarmUp { _ = try search(client, dice.below(OrderGenerator.regionCount)) }
        var latencies = Latencies(capacity: calls)
        for _ in 0..<calls {
            let region = dice.below(OrderGenerator.regionCount)
            let start = Monotonic.now
            _ = try search(client, region)
            latencies.add(Monotonic.now - start)
        }
        try link.report(latencies)
    }

    private func search(_ client: any OrderClient, _ region: Int) throws -> (count: Int, sum: Int64) {
        var (count, sum) = (0, Int64(0))
        try client.forEachOrder(inRegion: OrderGenerator.region(region), atLeast: Self.leastTotal) { order in
            (count, sum) = (count + 1, sum + order.number)
        }
        return (count, sum)
    }
}
