import CofferLinux

extension WorkerJob {
    private static let walkedCustomers = 100
    private static let walkRounds = 5
    private static let traversedWarmUp = 10

    /// Walks from customers to the numbers of their orders: through many customers that were found together,
    /// and from one after the other that were found alone, for the first and for the second time.
    func traverse() throws {
        let client = try system.openOrders(place)
        let orders = OrderGenerator(objectCount: objectCount)
        let sums = orders.numbersByCustomer()
        let walked = min(Self.walkedCustomers, orders.customerCount)
        let expected = sums[..<walked].reduce(0, &+)
        var rounds = Latencies(capacity: Self.walkRounds)
        var roundTrips = 0
        for _ in 0..<Self.walkRounds {
            var sum: Int64 = 0
            let start = Monotonic.now
            roundTrips = try client.walkCustomers(walked) { sum &+= $0 }
            rounds.add(Monotonic.now - start)
            guard sum == expected else { throw BenchError.wrongAnswer("numbers sum up to \(sum)") }
        }
        try link.report(.milliseconds, rounds.microseconds(percentile: 50) / 1_000)
        if system != .sqlite { try link.report(.roundTrips, Double(roundTrips)) }

        let count = min(calls + Self.traversedWarmUp, orders.customerCount)
        try client.holdCustomers(count)
        try link.report(try visit(client, sums[..<count]))
        try link.report(.againP50, try visit(client, sums[..<count]).microseconds(percentile: 50))
    }

    private func visit(_ client: any OrderClient, _ sums: ArraySlice<Int64>) throws -> Latencies {
        var latencies = Latencies(capacity: sums.count)
        for (place, expected) in sums.enumerated() {
            var sum: Int64 = 0
            let start = Monotonic.now
            try client.forEachNumber(ofHeld: place) { sum &+= $0 }
            let time = Monotonic.now - start
            guard sum == expected else {
                throw BenchError.wrongAnswer("numbers of customer \(place) sum up to \(sum)")
            }
            if place >= Self.traversedWarmUp { latencies.add(time) }
        }
        return latencies
    }
}
