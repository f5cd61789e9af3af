import CofferLinux
import CofferModel
import CofferSQLite
import CofferStores
import CofferWire
import TestSupport
import Testing

/// The triggers that note which rows changed, for full-text indexes and sort keys.
@Suite(.enabled(if: Collation.version != nil, "the system has no ICU"))
struct QueueTriggerTests {
    private func open(_ path: String, isReadOnly: Bool = false) throws -> StoreFile {
        let model = try ManagedObjectModel(entities: [
            EntityDefinition(
                "Note",
                attributes: [
                    AttributeDefinition("title", .string, isOptional: true, isIndexed: true),
                    AttributeDefinition("text", .string, isOptional: true, isTextIndexed: true),
                ])
        ])
        var options = StoreOptions()
        options.isReadOnly = isReadOnly
        return try StoreFile.open(
            in: Folder(at: path), fileName: "T", model: StoreModel(model), options: options)
    }

    /// Lets the store keep keys of titles.
    private func keep(_ bench: Bench) throws {
        var fetch = FetchDescription(entityName: "Note")
        fetch.sortDescriptors = [QuerySort("title", comparison: .localized)]
        fetch.limit = 10
        var options = StoreReader.Options()
        options.sortKeys = bench.file.sortKeys
        _ = try StoreReader(
            connection: bench.file.makeReader(), schema: bench.file.schema, options: options
        ).fetch(FetchRequestMessage(store: 1, fetch: fetch))
        while try bench.writer.keepSortKeys() {}
    }

    private func filled(_ path: String) throws -> Bench {
        let bench = try Bench(open(path))
        let titles = (0..<1_000).map { "\($0)" }
        try bench.save(inserts: [
            bench.insert("Note", [bench.text("Note", "title", titles)], count: titles.count)
        ])
        try keep(bench)
        return bench
    }

    @Test(
        arguments: [
            "INSERT INTO ZNOTE (Z_PK, Z_ENT, Z_OPT) VALUES (5, 1, 1) "
                + "ON CONFLICT (Z_PK) DO UPDATE SET ZTITLE = 'x', ZTEXT = 'y'",
            "UPDATE OR ABORT ZNOTE SET ZTITLE = 'x', ZTEXT = 'y' WHERE Z_PK = 5",
            "UPDATE OR REPLACE ZNOTE SET ZTITLE = 'x', ZTEXT = 'y' WHERE Z_PK = 5",
            "INSERT OR REPLACE INTO ZNOTE (Z_PK, Z_ENT, Z_OPT, ZTITLE) VALUES (5, 1, 1, 'x')",
        ])
    func `another program may write a row again, with any policy for conflicts`(sql: String) throws {
        try withTemporaryFolder { path in
            let bench = try filled(path)
            let other = try SQLiteConnection(path: "\(path)/T", mode: .readWrite)
            for _ in 0..<2 { try other.execute(sql) }
            for queue in ["COFFER_SORTQUEUE_ZNOTE", "COFFER_TEXTQUEUE_ZNOTE"] {
                #expect(try bench.query("SELECT key FROM \(queue)") == ["5"], "\(queue)")
            }
        }
    }

    @Test func `a store with triggers of before gets those of now, and both are known`() throws {
        let texts = "SELECT sql FROM sqlite_master WHERE type = 'trigger'"
        try withTemporaryFolder { path in
            let triggers = try filled(path).query("SELECT name FROM sqlite_master WHERE type = 'trigger'")
            #expect(triggers.count == 6)
            do {
                let other = try SQLiteConnection(path: "\(path)/T", mode: .readWrite)
                for name in triggers { try makeFormer(name, on: other) }
                try other.execute(
                    "UPDATE COFFER_STATE SET value = '1' || substr(value, 2) "
                        + "WHERE name GLOB 'text:*' OR name GLOB 'sort:*'")
            }
            #expect(try !open(path, isReadOnly: true).hasForeignTriggers)
            let bench = try Bench(open(path))
            #expect(!bench.file.hasForeignTriggers)
            try keep(bench)
            let made = try bench.query(texts)
            #expect(made.count == 6)
            #expect(made.allSatisfy { $0.contains("ON CONFLICT DO NOTHING") }, "\(made)")
            #expect(try !open(path, isReadOnly: true).hasForeignTriggers)
        }
    }

    @Test func `names that a file brings along are not run`() throws {
        try withTemporaryFolder { path in
            _ = try filled(path)
            do {
                let other = try SQLiteConnection(path: "\(path)/T", mode: .readWrite)
                for prefix in ["text", "sort"] {
                    try other.execute(
                        "INSERT INTO COFFER_STATE(name, value) "
                            + "VALUES('\(prefix):X; CREATE TABLE \(prefix)MADE(a); --', '1')")
                }
            }
            let bench = try Bench(open(path))
            #expect(try bench.query("SELECT name FROM sqlite_master WHERE name GLOB '*MADE'") == [])
            #expect(try bench.query("SELECT name FROM COFFER_STATE WHERE name GLOB '*MADE*'") == [])
        }
    }

    private func makeFormer(_ name: String, on connection: SQLiteConnection) throws {
        let query = try connection.prepare("SELECT sql FROM sqlite_master WHERE name = '\(name)'")
        #expect(try query.step())
        let sql = query.text(0)
        query.reset()
        let former = sql.replacing("BEGIN INSERT INTO", with: "BEGIN INSERT OR IGNORE INTO")
            .replacing(" ON CONFLICT DO NOTHING", with: "")
        #expect(former != sql)
        try connection.execute("DROP TRIGGER \(name)")
        try connection.execute(former)
    }
}
