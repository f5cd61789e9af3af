import CofferModel
import CofferStores
import CofferWire
import Synchronization
import Testing

struct SQLDebugTests {
    @Test func `writer and readers follow the level when they are used next`() throws {
        let told = Told()
        let debug = SQLDebug(level: 0) { told.add($0) }
        var options = StoreOptions()
        options.sqlDebug = debug
        try withStore(options: options) { bench in
            var readerOptions = StoreReader.Options()
            readerOptions.sqlDebug = debug
            let reader = try StoreReader(
                connection: bench.file.makeReader(), schema: bench.file.schema, options: readerOptions)
            func fetch() throws {
                reader.followSQLDebug()
                _ = try reader.fetch(
                    FetchRequestMessage(
                        store: 1,
                        fetch: FetchDescription(
                            entityName: "Tag", predicate: try QueryPredicate(format: "name == 'secret'"))))
            }
            func save() throws {
                try bench.save(inserts: [
                    bench.insert("Shelf", count: 3)
                ])
            }
            try save()
            try fetch()
            #expect(told.take().isEmpty)

            debug.level = 1
            try save()
            try fetch()
            let entries = told.take()
            let insert = try #require(entries.first { $0.sql.contains("INSERT INTO ZSHELF") })
            #expect(insert.changes == 3 && insert.runs == 3)
            let select = try #require(entries.first { $0.sql.contains("ZTAG") })
            #expect(select.rows == 0 && select.changes == 0 && select.runs == 1, "\(select)")
            #expect(entries.allSatisfy { $0.path.hasSuffix("Test.sqlite") && $0.plan.isEmpty })
            #expect(!entries.map(\.text).joined().contains("secret"))

            debug.level = 9
            #expect(debug.level == 2)
            try fetch()
            let plan = try #require(told.take().first { $0.sql.contains("ZTAG") }).plan
            #expect(plan.contains { $0.contains("ZTAG") || $0.contains("SEARCH") }, "\(plan)")

            debug.level = 0
            try save()
            try fetch()
            #expect(told.take().isEmpty)
        }
    }
}

private final class Told: Sendable {
    private let entries = Mutex<[SQLDebugEntry]>([])

    func add(_ entry: SQLDebugEntry) { entries.withLock { $0.append(entry) } }

    func take() -> [SQLDebugEntry] {
        entries.withLock { entries in
            defer { entries = [] }
            return entries
        }
    }
}
