import CofferLinux
import CofferModel
import CofferSQLite
import CofferStores
import TestSupport
import Testing

/// A store that is opened with a model which differs in indexes only, and so has the same hashes.
@Suite struct IndexRenewalTests {
    private func model(
        _ indexes: [FetchIndexDefinition], isIndexed: Bool = false, isTextIndexed: Bool = false
    ) throws -> ManagedObjectModel {
        var title = AttributeDefinition("title", .string, isOptional: true)
        title.isIndexed = isIndexed
        title.isTextIndexed = isTextIndexed
        return try ManagedObjectModel(entities: [
            EntityDefinition(
                "Note",
                attributes: [
                    title, AttributeDefinition("x", .double, isOptional: true),
                    AttributeDefinition("count", .integer64, isOptional: true),
                ],
                indexes: indexes)
        ])
    }

    private func index(_ name: String, _ properties: String...) -> FetchIndexDefinition {
        FetchIndexDefinition(name, elements: properties.map { .init($0) })
    }

    private var tree: FetchIndexDefinition {
        FetchIndexDefinition("place", elements: [.init("x")], kind: .rTree)
    }

    private func open(
        _ path: String, _ model: ManagedObjectModel?, options: StoreOptions = StoreOptions()
    ) throws -> StoreFile {
        try StoreFile.open(
            in: Folder(at: path), fileName: "Notes", model: model.map { try StoreModel($0) }, options: options
        )
    }

    /// The texts of the indexes that models name.
    private func indexes(_ path: String) throws -> [String] {
        let connection = try SQLiteConnection(path: path + "/Notes", mode: .readOnly)
        let statement = try connection.prepare(
            "SELECT sql FROM sqlite_master WHERE type = 'index' AND tbl_name = 'ZNOTE' ORDER BY name")
        var texts: [String] = []
        while try statement.step() { texts.append(statement.text(0)) }
        return texts
    }

    @Test func `an index that comes is made`() throws {
        try withTemporaryFolder { path in
            do { _ = try open(path, model([])) }
            #expect(try indexes(path) == [])
            do { _ = try open(path, model([index("byTitle", "title")])) }
            #expect(
                try indexes(path) == [
                    "CREATE INDEX Z_Note_byTitle ON ZNOTE (ZTITLE COLLATE BINARY ASC)"
                ])
        }
    }

    @Test func `an index of the old way comes and goes`() throws {
        try withTemporaryFolder { path in
            do { _ = try open(path, model([])) }
            do { _ = try open(path, model([], isIndexed: true)) }
            #expect(
                try indexes(path) == [
                    "CREATE INDEX Z_Note_title ON ZNOTE (ZTITLE COLLATE BINARY ASC)"
                ])
            do { _ = try open(path, model([])) }
            #expect(try indexes(path) == [])
        }
    }

    @Test func `an index that changes is made again, and one that goes is removed`() throws {
        try withTemporaryFolder { path in
            do { _ = try open(path, model([index("a", "title"), index("b", "count")])) }
            let descending = FetchIndexDefinition("a", elements: [.init("title", isAscending: false)])
            do { _ = try open(path, model([descending])) }
            #expect(
                try indexes(path) == ["CREATE INDEX Z_Note_a ON ZNOTE (ZTITLE COLLATE BINARY DESC)"])
        }
    }

    @Test func `an index that no model names stays`() throws {
        try withTemporaryFolder { path in
            do { _ = try open(path, model([index("a", "title")])) }
            do {
                try SQLiteConnection(path: path + "/Notes").execute("CREATE INDEX mine ON ZNOTE (ZCOUNT)")
            }
            do { _ = try open(path, model([])) }
            #expect(try indexes(path) == ["CREATE INDEX mine ON ZNOTE (ZCOUNT)"])
        }
    }

    @Test func `an r-tree is made of the objects that are there, kept along, and removed`() throws {
        try withTemporaryFolder { path in
            do {
                let bench = try Bench(open(path, model([])))
                try bench.save(inserts: [bench.insert("Note", [], count: 2)])
            }
            do {
                try SQLiteConnection(path: path + "/Notes").execute("UPDATE ZNOTE SET ZX = Z_PK * 10")
            }
            do {
                let bench = try Bench(open(path, model([tree])))
                #expect(!bench.file.hasForeignTriggers)
                let places = "SELECT Z_PK, CAST(ZX_MIN AS INTEGER) FROM Z_RT_Note_place ORDER BY Z_PK"
                #expect(try bench.query(places) == ["1|10", "2|20"])
                try bench.save(deletes: [bench.delete("Note", [1])])
                #expect(try bench.query(places) == ["2|20"])
                #expect(try bench.writer.integrityCheck() == [])
            }
            let bench = try Bench(open(path, model([])))
            #expect(
                try bench.query("SELECT name FROM sqlite_master WHERE name LIKE 'Z\\_RT%' ESCAPE '\\'") == [])
            try bench.save(inserts: [bench.insert("Note")])
            #expect(try bench.writer.integrityCheck() == [])
        }
    }

    @Test func `a trigger of the user's costs a new r-tree, and not the opening`() throws {
        try withTemporaryFolder { path in
            do { _ = try open(path, model([])) }
            do {
                try SQLiteConnection(path: path + "/Notes").execute(
                    "CREATE TRIGGER mine AFTER INSERT ON ZNOTE BEGIN SELECT NEW.Z_PK; END")
            }
            let bench = try Bench(open(path, model([index("a", "title"), tree])))
            #expect(try indexes(path).count == 1)
            #expect(
                try bench.query("SELECT name FROM sqlite_master WHERE name LIKE 'Z\\_RT%' ESCAPE '\\'") == [])
            try bench.save(inserts: [bench.insert("Note")])
        }
    }

    @Test func `a full-text index comes and goes`() throws {
        try withTemporaryFolder { path in
            do { _ = try open(path, model([])) }
            let query = "SELECT count(*) FROM sqlite_master WHERE name LIKE 'COFFER_TEXT%'"
            do {
                let bench = try Bench(open(path, model([], isTextIndexed: true)))
                #expect(try bench.query(query) != ["0"])
            }
            let bench = try Bench(open(path, model([])))
            #expect(try bench.query(query) == ["0"])
        }
    }

    @Test func `a store that is only read keeps its indexes`() throws {
        try withTemporaryFolder { path in
            do { _ = try open(path, model([index("a", "title")])) }
            let before = try indexes(path)
            var options = StoreOptions()
            options.isReadOnly = true
            do { _ = try open(path, model([]), options: options) }
            #expect(try indexes(path) == before)
            // As a service opens it for a client that only reads.
            options.isReadOnly = false
            options.keepsIndexes = true
            do { _ = try open(path, model([]), options: options) }
            #expect(try indexes(path) == before)
        }
    }

    @Test func `a file of another program is adopted with the indexes of the model`() throws {
        try withTemporaryFolder { path in
            do { _ = try open(path, model([index("a", "title")])) }
            do {
                // What is left is what Core Data makes.
                let connection = try SQLiteConnection(path: path + "/Notes")
                for table in ["STATE", "MODEL", "REQUEST", "CONSUMER", "DECIMAL", "RESERVED", "TRANSACTION"] {
                    try connection.execute("DROP TABLE COFFER_\(table)")
                }
            }
            let error = #expect(throws: StoreError.self) { try open(path, model([index("b", "count")])) }
            #expect(error?.description.contains("indexes as the model has them now") == true)
            var options = StoreOptions()
            options.foreignFiles = .adopted
            do { _ = try open(path, model([index("b", "count")]), options: options) }
            #expect(
                try indexes(path) == ["CREATE INDEX Z_Note_b ON ZNOTE (ZCOUNT COLLATE BINARY ASC)"])
        }
    }
}
