import Coffer
import CofferEmbedded
import CofferSQLite

/// One client of a system, with its store of orders open; it owes what a `ContactClient` owes.
protocol OrderClient: AnyObject {
    /// Makes all regions, customers and orders.
    func fill() throws

    /// Lends the orders of customers of a region that come to at least `total`, all values read.
    func forEachOrder(inRegion name: String, atLeast total: Double, _ body: (Order) -> Void) throws
}

extension SystemName {
    /// Opens a store of orders, which is made where it does not exist.
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
    private static let batchSize = 5_000
    private let container: PersistentContainer
    private let context: ManagedObjectContext

    init(_ container: PersistentContainer) throws {
        try container.loadStores()
        self.container = container
        context = container.newContext(name: "bench", author: "coffer-bench")
        context.register(ManagedOrder.self, ManagedCustomer.self, ManagedRegion.self)
    }

    func fill() throws {
        let regions = (0..<OrderGenerator.regionCount).map { index in
            let region = context.insert(ManagedRegion.self)
            region.name = OrderGenerator.region(index)
            return region
        }
        let customers = (0..<OrderGenerator.customerCount).map { index in
            let customer = context.insert(ManagedCustomer.self)
            customer.name = "Customer \(index)"
            customer.region = regions[OrderGenerator.region(ofCustomer: index)]
            return customer
        }
        try context.save()
        for first in stride(from: 0, to: OrderGenerator.orderCount, by: Self.batchSize) {
            for index in first..<min(first + Self.batchSize, OrderGenerator.orderCount) {
                let (order, values) = (context.insert(ManagedOrder.self), OrderGenerator.order(index))
                order.number = values.number
                order.total = values.total
                order.customer = customers[OrderGenerator.customer(ofOrder: index)]
            }
            try context.save()
        }
    }

    func forEachOrder(inRegion name: String, atLeast total: Double, _ body: (Order) -> Void) throws {
        let request = try FetchRequest<ManagedOrder>().matching(
            "customer.region.name == %@ AND total >= %@", name, total)
        for order in try context.fetch(request) { body(Order(number: order.number, total: order.total)) }
    }
}

/// SQLite as a careful application uses it, with the tables and indexes of Coffer's store.
///
/// Confined.
final class OrderSQLiteClient: OrderClient {
    private let connection: SQLiteConnection
    private let search: SQLiteStatement

    init(path: String) throws {
        connection = try SQLiteConnection(path: path)
        for (pragma, value) in [("page_size", "4096"), ("journal_mode", "wal"), ("synchronous", "FULL")] {
            _ = try connection.pragma(pragma, value)
        }
        try connection.execute(
            """
            CREATE TABLE IF NOT EXISTS ZORDER ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, \
            ZNUMBER INTEGER, ZCUSTOMER INTEGER, ZTOTAL FLOAT );
            CREATE TABLE IF NOT EXISTS ZCUSTOMER ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, \
            ZREGION INTEGER, ZNAME VARCHAR );
            CREATE TABLE IF NOT EXISTS ZREGION ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZNAME VARCHAR );
            CREATE INDEX IF NOT EXISTS ZORDER_ZCUSTOMER_INDEX ON ZORDER (ZCUSTOMER);
            CREATE INDEX IF NOT EXISTS ZCUSTOMER_ZREGION_INDEX ON ZCUSTOMER (ZREGION);
            CREATE INDEX IF NOT EXISTS ZREGION_ZNAME_INDEX ON ZREGION (ZNAME)
            """)
        search = try connection.prepare(
            """
            SELECT o.ZNUMBER, o.ZTOTAL FROM ZORDER o JOIN ZCUSTOMER c ON c.Z_PK = o.ZCUSTOMER \
            JOIN ZREGION r ON r.Z_PK = c.ZREGION WHERE r.ZNAME = ?1 AND o.ZTOTAL >= ?2
            """)
    }

    func fill() throws {
        try connection.begin()
        let region = try connection.prepare(
            "INSERT INTO ZREGION (Z_PK, Z_ENT, Z_OPT, ZNAME) VALUES (?1, 3, 1, ?2)")
        for index in 0..<OrderGenerator.regionCount {
            try region.bind(Int64(index + 1), at: 1)
            try region.bind(OrderGenerator.region(index), at: 2)
            try region.run()
        }
        let customer = try connection.prepare(
            "INSERT INTO ZCUSTOMER (Z_PK, Z_ENT, Z_OPT, ZREGION, ZNAME) VALUES (?1, 1, 1, ?2, ?3)")
        for index in 0..<OrderGenerator.customerCount {
            try customer.bind(Int64(index + 1), at: 1)
            try customer.bind(Int64(OrderGenerator.region(ofCustomer: index) + 1), at: 2)
            try customer.bind("Customer \(index)", at: 3)
            try customer.run()
        }
        let order = try connection.prepare(
            "INSERT INTO ZORDER (Z_ENT, Z_OPT, ZNUMBER, ZCUSTOMER, ZTOTAL) VALUES (2, 1, ?1, ?2, ?3)")
        for index in 0..<OrderGenerator.orderCount {
            let values = OrderGenerator.order(index)
            try order.bind(values.number, at: 1)
            try order.bind(Int64(OrderGenerator.customer(ofOrder: index) + 1), at: 2)
            try order.bind(values.total, at: 3)
            try order.run()
        }
        try connection.commit()
    }

    func forEachOrder(inRegion name: String, atLeast total: Double, _ body: (Order) -> Void) throws {
        try search.bind(name, at: 1)
        try search.bind(total, at: 2)
        defer { search.reset() }
        while try search.step() { body(Order(number: search.int64(0), total: search.double(1))) }
    }
}
