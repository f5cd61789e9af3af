/// An order of a customer in a region: what is found across two relationships.
struct Order: Equatable {
    var number: Int64
    var total: Double
}

/// Makes orders from their place alone, and says which of them a search must find.
struct OrderGenerator {
    /// How many regions the customers live in.
    static let regionCount = 20
    /// How many orders there are.
    let orderCount: Int
    /// How many customers share them.
    let customerCount: Int

    /// Ten orders for each contact of the run, a hundred for each customer.
    init(objectCount: Int) {
        orderCount = objectCount * 10
        customerCount = max(Self.regionCount, orderCount / 100)
    }

    /// The name of a region.
    static func region(_ index: Int) -> String { "Region \(index)" }

    /// The region of a customer.
    static func region(ofCustomer index: Int) -> Int { index % regionCount }

    /// The customer of an order.
    func customer(ofOrder index: Int) -> Int {
        var dice = Dice(seed: 0x0DE5_0000 &+ UInt64(index))
        return dice.below(customerCount)
    }

    /// The order at `index`, which does not change between runs.
    static func order(_ index: Int) -> Order {
        var dice = Dice(seed: 0x707A_1000 &+ UInt64(index))
        return Order(number: Int64(index), total: Double(dice.below(100_000)) / 100)
    }

    /// For each customer the sum of the numbers of its orders.
    func numbersByCustomer() -> [Int64] {
        var sums = [Int64](repeating: 0, count: customerCount)
        for index in 0..<orderCount { sums[customer(ofOrder: index)] &+= Self.order(index).number }
        return sums
    }

    /// The sum of the numbers of the orders of a region that come to at least `total`, and how many there
    /// are.
    func expected(region: Int, atLeast total: Double) -> (count: Int, sum: Int64) {
        var (count, sum) = (0, Int64(0))
        for index in 0..<orderCount where Self.region(ofCustomer: customer(ofOrder: index)) == region {
            let order = Self.order(index)
            if order.total >= total { (count, sum) = (count + 1, sum + order.number) }
        }
        return (count, sum)
    }
}
