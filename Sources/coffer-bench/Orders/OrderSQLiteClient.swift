import CofferSQLite

/// SQLite as a careful application uses it, with the tables and indexes of Coffer's store.
///
/// Confined. Its cache is as large as that of Coffer's stores, which is what the library itself has, and so
/// is the log at which a commit checkpoints.
final class OrderSQLiteClient: OrderClient {
    private let connection: SQLiteConnection
    private let search: SQLiteStatement
    private let customers: SQLiteStatement
    private let numbers: SQLiteStatement

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
        customers = try connection.prepare("SELECT Z_PK FROM ZCUSTOMER ORDER BY Z_PK LIMIT ?1")
        numbers = try connection.prepare("SELECT ZNUMBER FROM ZORDER WHERE ZCUSTOMER = ?1")
    }

    func fill(_ orders: OrderGenerator) throws {
        try connection.begin()
        try insertCustomers(orders)
        try connection.commit()
        let order = try connection.prepare(
            "INSERT INTO ZORDER (Z_ENT, Z_OPT, ZNUMBER, ZCUSTOMER, ZTOTAL) VALUES (2, 1, ?1, ?2, ?3)")
        for first in stride(from: 0, to: orders.orderCount, by: Self.batchSize) {
            try connection.begin()
            for index in first..<min(first + Self.batchSize, orders.orderCount) {
                let values = OrderGenerator.order(index)
                try order.bind(values.number, at: 1)
                try order.bind(Int64(orders.customer(ofOrder: index) + 1), at: 2)
                try order.bind(values.total, at: 3)
                try order.run()
            }
            try connection.commit()
        }
        // What is looked for then lies in the file, as in a store that has come to rest, and not in a log.
        try connection.checkpoint(mode: .truncate)
    }

    private func insertCustomers(_ orders: OrderGenerator) throws {
        let region = try connection.prepare(
            "INSERT INTO ZREGION (Z_PK, Z_ENT, Z_OPT, ZNAME) VALUES (?1, 3, 1, ?2)")
        for index in 0..<OrderGenerator.regionCount {
            try region.bind(Int64(index + 1), at: 1)
            try region.bind(OrderGenerator.region(index), at: 2)
            try region.run()
        }
        let customer = try connection.prepare(
            "INSERT INTO ZCUSTOMER (Z_PK, Z_ENT, Z_OPT, ZREGION, ZNAME) VALUES (?1, 1, 1, ?2, ?3)")
        for index in 0..<orders.customerCount {
            try customer.bind(Int64(index + 1), at: 1)
            try customer.bind(Int64(OrderGenerator.region(ofCustomer: index) + 1), at: 2)
            try customer.bind("Customer \(index)", at: 3)
            try customer.run()
        }
    }

    func forEachOrder(inRegion name: String, atLeast total: Double, _ body: (Order) -> Void) throws {
        try search.bind(name, at: 1)
        try search.bind(total, at: 2)
        defer { search.reset() }
        while try search.step() { body(Order(number: search.int64(0), total: search.double(1))) }
    }

    func walkCustomers(_ count: Int, _ body: (Int64) -> Void) throws -> Int {
        try customers.bind(Int64(count), at: 1)
        defer { customers.reset() }
        while try customers.step() { try forEachNumber(ofCustomer: customers.int64(0), body) }
        return 0
    }

    /// The key is all that there is to know.
    func holdCustomers(_ count: Int) throws {}

    func forEachNumber(ofHeld place: Int, _ body: (Int64) -> Void) throws {
        try forEachNumber(ofCustomer: Int64(place + 1), body)
    }

    private func forEachNumber(ofCustomer key: Int64, _ body: (Int64) -> Void) throws {
        try numbers.bind(key, at: 1)
        defer { numbers.reset() }
        while try numbers.step() { body(numbers.int64(0)) }
    }
}
