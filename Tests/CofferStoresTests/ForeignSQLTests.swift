import CofferLinux
import CofferModel
import CofferSQLite
import CofferStores
import CofferWire
import Foundation
import TestSupport
import Testing

/// Files whose schema makes SQLite do more than keep rows.
@Suite struct ForeignSQLTests {
    private static let fileName = "T"

    private static func open(_ path: String, limit: Duration = .seconds(10)) throws -> StoreFile {
        var options = StoreOptions()
        options.foreignSQLTime = limit
        return try StoreFile.open(
            in: Folder(at: path), fileName: fileName, model: StoreModel(Library.model()), options: options)
    }

    /// A store with `tags` tags, to which `sql` was added by another program.
    private func withStore(tags: Int = 1, adding sql: String, _ body: (String) throws -> Void) throws {
        try withTemporaryFolder { path in
            do {
                let bench = try Bench(Self.open(path))
                try bench.save(inserts: [bench.insert("Tag", count: tags), bench.insert("Box", count: tags)])
                try bench.writer.checkpointFully()
            }
            try SQLiteConnection(path: "\(path)/\(Self.fileName)").execute(sql)
            try body(path)
        }
    }

    private static let endless =
        "SELECT (WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c) SELECT max(n) FROM c)"

    @Test(arguments: [
        ("CREATE TRIGGER ever AFTER INSERT ON ZTAG BEGIN \(endless); END", "trigger 'ever'"),
        (
            "CREATE TRIGGER pairs AFTER INSERT ON ZTAG BEGIN "
                + "DELETE FROM ZBOX WHERE Z_PK IN (SELECT a.Z_PK FROM ZTAG a, ZTAG b, ZTAG c, ZTAG d); END",
            "trigger 'pairs'"
        ),
        ("ALTER TABLE ZTAG ADD COLUMN big AS (hex(zeroblob(400000000)))", "table 'ZTAG'"),
        ("ALTER TABLE ZTAG ADD COLUMN big GENERATED ALWAYS AS (hex(zeroblob(9)))", "table 'ZTAG'"),
        ("ALTER TABLE ZTAG ADD COLUMN some CHECK (length(zeroblob(900000000)) > 0)", "table 'ZTAG'"),
        ("CREATE TABLE side (a, b DEFAULT (hex(zeroblob(400000000))))", "table 'side'"),
        ("CREATE INDEX large ON ZTAG (hex(zeroblob(1000)))", "index 'large'"),
        ("CREATE INDEX quoted ON ZTAG (\"hex\"/*(*/(ZNAME))", "index 'quoted'"),
        ("CREATE INDEX some ON ZTAG (ZNAME) WHERE ZNAME || ZNAME > 'a'", "index 'some'"),
    ])
    func `a file with SQL that may run without end is read, told of, and never written`(
        sql: String, item: String
    ) throws {
        try withStore(adding: sql) { path in
            let before = try Data(contentsOf: URL(fileURLWithPath: "\(path)/\(Self.fileName)"))
            do {
                let file = try Self.open(path)
                let error = StoreError.unknownSQL(path: file.path, item: item)
                #expect(file.isReadOnly && file.readOnlyError == error)
                #expect(throws: error) { try file.makeWriter() }
                let reader = try StoreReader(connection: file.makeReader(), schema: file.schema)
                let tags = try reader.fetch(
                    FetchRequestMessage(store: 1, fetch: FetchDescription(entityName: "Tag")))
                #expect(tags.count == 1)
            }
            #expect(try Data(contentsOf: URL(fileURLWithPath: "\(path)/\(Self.fileName)")) == before)
        }
    }

    @Test func `what reads such a file for too long is stopped`() throws {
        // Each row's text is put together again each time it is read.
        let text = (0..<6).reduce("hex(zeroblob(1000000))") { sql, _ in "replace(\(sql), '00', '000')" }
        try withStore(
            tags: 3_000,
            adding: "ALTER TABLE ZTAG RENAME COLUMN ZNAME TO OLDNAME; "
                + "ALTER TABLE ZTAG ADD COLUMN ZNAME AS (substr(\(text), 1, 3))"
        ) { path in
            let file = try Self.open(path, limit: .milliseconds(50))
            let clock = try #require(file.makeReadingClock())
            var options = StoreReader.Options()
            options.runsUnknownSQL = true
            options.onLongRunning = { clock.isOver }
            let reader = try StoreReader(connection: file.makeReader(), schema: file.schema, options: options)
            clock.start()
            #expect(throws: StoreError.interrupted) {
                try reader.fetch(FetchRequestMessage(store: 1, fetch: FetchDescription(entityName: "Tag")))
            }
            #expect(clock.hasExpired)
        }
    }

    @Test func `a save that makes a file's triggers run for too long fails, and the next is saved`() throws {
        // As many steps as there are pairs, by a form that is allowed.
        let trigger =
            "CREATE TRIGGER slow AFTER UPDATE OF ZNAME ON ZTAG BEGIN "
            + "UPDATE ZBOX SET Z_OPT = (SELECT COUNT(*) FROM ZTAG WHERE ZTAG.Z_PK > ZBOX.Z_PK + NEW.Z_PK); END"
        try withStore(tags: 9_000, adding: trigger) { path in
            let file = try Self.open(path, limit: .milliseconds(50))
            let bench = try Bench(file)
            #expect(file.hasForeignTriggers && !file.isReadOnly)
            let error = StoreError.foreignSQLTooSlow(path: file.path, limit: .milliseconds(50))
            #expect(throws: error) {
                try bench.save(updates: [
                    bench.update("Tag", 1, version: 1, [bench.text("Tag", "name", ["new"])])
                ])
            }
            #expect(try bench.query("SELECT count(*) FROM ZTAG WHERE ZNAME = 'new'") == ["0"])
            #expect(try bench.save(inserts: [bench.insert("Tag")]).saved.firstKeys == [9_001])
        }
    }

    @Test func `a trigger that deletes what a save wrote fails the save, and nothing of it stays`() throws {
        let trigger =
            "CREATE TRIGGER back AFTER INSERT ON ZTAG WHEN NEW.ZNAME = 'bad' BEGIN "
            + "DELETE FROM ZTAG WHERE Z_PK = NEW.Z_PK; END; "
            + "CREATE TRIGGER gone AFTER UPDATE ON ZBOX BEGIN DELETE FROM ZBOX WHERE Z_PK = NEW.Z_PK; END; "
            + "CREATE TRIGGER off AFTER UPDATE ON ZSHELF BEGIN DELETE FROM ZSHELF WHERE Z_PK = NEW.Z_PK; END"
        try withStore(adding: trigger) { path in
            let bench = try Bench(Self.open(path))
            func refused(_ entity: String, _ key: Int64, _ body: () throws -> Void) {
                let error = #expect(throws: StoreError.self) { try body() }
                #expect(error == .takenBack(path: bench.file.path, entity: entity, key: key))
                #expect(error?.reason == "taken_back")
            }
            refused("Tag", 3) {
                let names = try bench.text("Tag", "name", ["good", "bad"])
                try bench.save(inserts: [bench.insert("Tag", [names], count: 2), bench.insert("Shelf")])
            }
            refused("Box", 1) {
                let shelf = try bench.save(inserts: [bench.insert("Shelf")]).saved.firstKeys[0]
                let end = try bench.reference("Box", "shelf", [("Shelf", shelf)])
                try bench.save(updates: [bench.update("Box", 1, version: 1, [end])])
            }
            // What a save of another object gives a new version is looked at, too.
            let shelf = try bench.save(inserts: [bench.insert("Shelf")]).saved.firstKeys[0]
            refused("Shelf", shelf) {
                let end = try bench.reference("Box", "shelf", [("Shelf", shelf)])
                try bench.save(inserts: [bench.insert("Box", [end])])
            }
            let rows =
                "SELECT (SELECT count(*) FROM ZTAG), (SELECT count(*) FROM ZBOX), (SELECT count(*) FROM ZSHELF)"
            #expect(try bench.query(rows) == ["1|1|2"])
            try bench.save(deletes: [bench.delete("Tag", [1])])
            #expect(try bench.query("SELECT count(*) FROM ZTAG") == ["0"])
        }
    }

    @Test func `SQL that comes while the store is open is not run`() throws {
        try withStore(adding: "CREATE TABLE side (a)") { path in
            let bench = try Bench(Self.open(path))
            try bench.save(inserts: [bench.insert("Tag")])
            let other = try SQLiteConnection(path: "\(path)/\(Self.fileName)")
            try other.execute("CREATE TRIGGER ever AFTER INSERT ON ZTAG BEGIN \(Self.endless); END")
            #expect(throws: StoreError.unknownSQL(path: bench.file.path, item: "trigger 'ever'")) {
                try bench.save(inserts: [bench.insert("Tag")])
            }
            try other.execute("DROP TRIGGER ever; CREATE INDEX harmless ON side (a)")
            try bench.save(inserts: [bench.insert("Tag")])
            #expect(try bench.query("SELECT count(*) FROM ZTAG") == ["3"])
        }
    }

    @Test(arguments: ["ZTAG", "Z_MODELCACHE", "COFFER_STATE"])
    func `a view in the place of a table is damage, and is not read`(table: String) throws {
        let view = "DROP TABLE \(table); CREATE VIEW \(table) AS \(Self.endless) AS Z_PK"
        try withStore(adding: view) { path in
            let detail = "\(table) is a view or virtual table, not a table"
            #expect(throws: StoreError.damaged(path: "\(path)/\(Self.fileName)", detail: detail)) {
                try Self.open(path)
            }
        }
    }

    @Test func `a file with SQL that may run without end takes no store's place`() throws {
        try withStore(adding: "CREATE TRIGGER ever AFTER INSERT ON ZTAG BEGIN \(Self.endless); END") { path in
            let folder = try Folder(at: path)
            #expect(throws: StoreError.unknownSQL(path: "", item: "trigger 'ever'")) {
                _ = try StoreReplacement(
                    folder.openBeneath(Self.fileName), of: "New", in: folder, model: nil,
                    configuration: "Default")
            }
            #expect(try !folder.exists("New"))
        }
    }

    @Test(
        .enabled(if: FixtureFolder.isThere, "the folder of fixtures is absent: set COFFER_FIXTURES"),
        arguments: ModelCacheFixtureTests.stores)
    func `the schema of a store that Core Data made holds nothing unknown`(store: String) throws {
        let root = try FixtureFolder.required() + "/stores"
        try withTemporaryFolder { path in
            for suffix in ["", "-wal"]
            where FileManager.default.fileExists(atPath: "\(root)/\(store)\(suffix)") {
                try FileManager.default.copyItem(
                    atPath: "\(root)/\(store)\(suffix)", toPath: "\(path)/Test\(suffix)")
            }
            let items = try SchemaItems(reading: SQLiteConnection(path: "\(path)/Test"))
            #expect(items.unknownItem == nil)
            #expect(items.triggers.filter { !SchemaForms.isBoundedTrigger($0.value) }.isEmpty)
        }
    }
}
