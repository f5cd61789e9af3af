import Coffer
import CofferEmbedded

/// One client of a system, with its store of orders open; it owes what a `ContactClient` owes.
protocol OrderClient: AnyObject {
    /// Makes all regions and customers in one durable transaction, and orders in batches.
    func fill(_ orders: OrderGenerator) throws

    /// Lends the orders of customers of a region that come to at least `total`, all values read.
    func forEachOrder(inRegion name: String, atLeast total: Double, _ body: (Order) -> Void) throws

    /// Lends the numbers of the orders of the first customers, one customer after the other; gives how many
    /// requests that took.
    func walkCustomers(_ count: Int, _ body: (Int64) -> Void) throws -> Int

    /// Looks the first customers up, each by itself.
    func holdCustomers(_ count: Int) throws

    /// Lends the numbers of the orders of a customer that is held, and holds the orders too.
    func forEachNumber(ofHeld place: Int, _ body: (Int64) -> Void) throws
}

extension OrderClient {
    /// Orders of one durable transaction.
    static var batchSize: Int { 5_000 }
}

extension SystemName {
    /// Opens a store of orders, which is made if it does not exist.
    func openOrders(_ place: StorePlace) throws -> any OrderClient {
        switch self {
        case .sqlite: try OrderSQLiteClient(path: "\(place.place)/\(place.store).sqlite")
        case .coffer:
            try OrderContextClient(
                PersistentContainer(
                    name: place.store, model: try OrderModel.make(), application: ContactModel.application,
                    stores: [StoreDescription(name: place.store, announcements: .readObjects)],
                    bus: .explicit(place.place)))
        case .cofferEmbedded:
            try OrderContextClient(
                .embedded(name: place.store, model: try OrderModel.make(), folder: place.place))
        case .cofferBus, .socketpair: throw BenchError.unsupported("'\(rawValue)' has no orders")
        }
    }
}

/// Contexts of managed objects.
///
/// Confined.
final class OrderContextClient: OrderClient {
    private let container: PersistentContainer
    private let context: ManagedObjectContext
    private var held: [ManagedCustomer] = []
    /// Orders that were read, which are kept so that the context keeps them too.
    private var orders: [[ManagedOrder]] = []

    init(_ container: PersistentContainer) throws {
        try container.loadStores()
        self.container = container
        context = Self.makeContext(container)
    }

    private static func makeContext(_ container: PersistentContainer) -> ManagedObjectContext {
        let context = container.newContext(name: "bench", author: "coffer-bench")
        context.register(ManagedOrder.self, ManagedCustomer.self, ManagedRegion.self)
        return context
    }

    func fill(_ orders: OrderGenerator) throws {
        let regions = (0..<OrderGenerator.regionCount).map { index in
            let region = context.insert(ManagedRegion.self)
            region.name = OrderGenerator.region(index)
            return region
        }
        let customers = (0..<orders.customerCount).map { index in
            let customer = context.insert(ManagedCustomer.self)
            customer.name = "Customer \(index)"
            customer.region = regions[OrderGenerator.region(ofCustomer: index)]
            return customer
        }
        try context.save()
        for first in stride(from: 0, to: orders.orderCount, by: Self.batchSize) {
            for index in first..<min(first + Self.batchSize, orders.orderCount) {
                let (order, values) = (context.insert(ManagedOrder.self), OrderGenerator.order(index))
                order.number = values.number
                order.total = values.total
                order.customer = customers[orders.customer(ofOrder: index)]
            }
            try context.save()
        }
    }

    func forEachOrder(inRegion name: String, atLeast total: Double, _ body: (Order) -> Void) throws {
        let request = try FetchRequest<ManagedOrder>().matching(
            "customer.region.name == %@ AND total >= %@", name, total)
        for order in try context.fetch(request) { body(Order(number: order.number, total: order.total)) }
    }

    func walkCustomers(_ count: Int, _ body: (Int64) -> Void) throws -> Int {
        // A new one, in which nothing is there.
        let context = Self.makeContext(container)
        var request = FetchRequest<ManagedCustomer>()
        request.limit = count
        for customer in try context.fetch(request) {
            for order in customer.orders { body(order.number) }
        }
        return context.statistics.roundTrips
    }

    func holdCustomers(_ count: Int) throws {
        held = try (0..<count).map { place in
            let request = FetchRequest<ManagedCustomer>(
                ManagedCustomer.properties.name == "Customer \(place)")
            guard let customer = try context.fetch(request).first else {
                throw BenchError.wrongAnswer("there is no customer \(place)")
            }
            return customer
        }
    }

    func forEachNumber(ofHeld place: Int, _ body: (Int64) -> Void) throws {
        let found = held[place].orders.array
        for order in found { body(order.number) }
        if place == orders.count { orders.append(found) }
    }
}
