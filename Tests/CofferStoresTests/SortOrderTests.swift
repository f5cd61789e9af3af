import CofferLinux
import CofferModel
import CofferSQLite
import CofferStores
import CofferWire
import TestSupport
import Testing

/// Which fetches are served along kept sort keys.
@Suite(.enabled(if: Collation.version != nil, "the system has no ICU"))
struct SortOrderTests {
    private func withBench(_ body: (Bench, StoreReader) throws -> Void) throws {
        let model = try ManagedObjectModel(entities: [
            EntityDefinition("Note", attributes: [AttributeDefinition("title", .string, isIndexed: true)]),
            EntityDefinition("Mail", superentity: "Note"),
            EntityDefinition("Solo", attributes: [AttributeDefinition("title", .string, isIndexed: true)]),
        ])
        try withTemporaryFolder { path in
            let bench = try Bench(
                StoreFile.open(in: Folder(at: path), fileName: "T", model: StoreModel(model)))
            var options = StoreReader.Options()
            options.sortKeys = bench.file.sortKeys
            try body(
                bench,
                StoreReader(
                    connection: bench.file.makeReader(), schema: bench.file.schema, options: options))
        }
    }

    private func fetch(_ entity: String = "Note", limit: Int = 10, offset: Int = 0) -> FetchRequestMessage {
        var fetch = FetchDescription(entityName: entity)
        fetch.sortDescriptors = [QuerySort("title", comparison: .localized)]
        fetch.locale = "de_DE"
        fetch.limit = limit
        fetch.offset = offset
        return FetchRequestMessage(store: 1, fetch: fetch)
    }

    private func keepAll(_ bench: Bench) throws { while try bench.writer.keepSortKeys() {} }

    @Test func `limits and offsets may be as large as clients like`() throws {
        try withBench { bench, reader in
            try bench.save(inserts: [
                bench.insert("Note", [bench.text("Note", "title", ["b", "c", "a"])], count: 3)
            ])
            for (limit, offset, count) in [(Int.max, 1, 2), (1, .max, 0), (.max, .max, 0), (5_000, 1, 2)] {
                let reply = try reader.fetch(fetch(limit: limit, offset: offset))
                #expect(reply.rows?.rowCount == count, "\(limit) from \(offset)")
                #expect(!bench.file.sortKeys.isWanting, "\(limit) from \(offset)")
            }
            #expect(try reader.fetch(fetch(limit: 4_999, offset: 1)).rows?.makePrimaryKeys() == [1, 2])
            #expect(bench.file.sortKeys.isWanting)
        }
    }

    @Test func `an order is walked along only where all rows of the table are asked for`() throws {
        try withBench { bench, reader in
            _ = try reader.fetch(fetch("Mail"))
            var alone = fetch()
            alone.fetch.includesSubentities = false
            _ = try reader.fetch(alone)
            #expect(!bench.file.sortKeys.isWanting)
            _ = try reader.fetch(fetch())
            #expect(bench.file.sortKeys.isWanting)
            try keepAll(bench)
            alone = fetch("Solo")
            alone.fetch.includesSubentities = false
            _ = try reader.fetch(alone)
            #expect(bench.file.sortKeys.isWanting)
        }
    }

    @Test func `names of one locale share a list`() throws {
        let locales = ["de_DE", "de_DE.UTF-8", "de_DE@euro"]
        try withBench { bench, reader in
            try bench.save(inserts: [
                bench.insert(
                    "Note", [bench.text("Note", "title", (0..<1_000).map { "\($0)" })], count: 1_000)
            ])
            for locale in locales {
                var request = fetch()
                request.fetch.locale = locale
                _ = try reader.fetch(request)
                try keepAll(bench)
                #expect(try reader.explain(request.fetch).sql.contains("COFFER_SORTKEY"), "\(locale)")
            }
            #expect(try bench.query("SELECT locale FROM COFFER_SORTLIST") == ["de_DE"])
        }
    }

    @Test func `lists are asked for before a state is read, which may be older than they are`() throws {
        try withBench { bench, reader in
            // No state can be read any more, but the question was put.
            try SQLiteConnection(path: bench.file.path, mode: .readWrite).execute("DROP TABLE ATRANSACTION")
            #expect(throws: StoreError.self) { try reader.fetch(fetch()) }
            #expect(bench.file.sortKeys.isWanting)
        }
        try withBench { bench, reader in
            try SQLiteConnection(path: bench.file.path, mode: .readWrite).execute("DROP TABLE ATRANSACTION")
            #expect(throws: StoreError.self) { try reader.explain(fetch().fetch) }
            #expect(bench.file.sortKeys.isWanting)
        }
    }
}
