import CofferLinux
import CofferModel
import CofferSQLite
import CofferStores
import TestSupport
import Testing

/// Stores of Core Data's with an r-tree, which triggers keep along with its table.
@Suite struct RTreeTests {
    private static let tree = "Z_RT_Place_bounds"
    private static let columns = "Z_PK, ZX_MIN, ZX_MAX"
    private static let triggers = [
        """
        CREATE TRIGGER \(tree)_INSERT AFTER INSERT ON ZPLACE FOR EACH ROW BEGIN INSERT OR REPLACE INTO \(tree) (\(columns)) \
        VALUES (NEW.Z_PK, NEW.ZX ,NEW.ZX) ; END
        """,
        """
        CREATE TRIGGER \(tree)_UPDATE AFTER UPDATE ON ZPLACE FOR EACH ROW BEGIN DELETE FROM \(tree) WHERE Z_PK = NEW.Z_PK ; \
        INSERT INTO \(tree) (\(columns)) VALUES (NEW.Z_PK, NEW.ZX ,NEW.ZX) ; END
        """,
        """
        CREATE TRIGGER \(tree)_DELETE AFTER DELETE ON ZPLACE FOR EACH ROW BEGIN DELETE FROM \(tree) WHERE Z_PK = OLD.Z_PK ; END
        """,
    ]

    private func model() throws -> ManagedObjectModel {
        try ManagedObjectModel { Entity("Place") { Field("x", .integer64) } }
    }

    private func open(_ path: String) throws -> StoreFile {
        try StoreFile.open(in: Folder(at: path), fileName: "Places", model: StoreModel(model()))
    }

    /// A store with an r-tree, to which `statements` were added.
    private func withStore(adding statements: [String], _ body: (Bench) throws -> Void) throws {
        try withTemporaryFolder { path in
            do { _ = try open(path) }
            do {
                let connection = try SQLiteConnection(path: path + "/Places")
                try connection.setTrustsSchema(true)
                try connection.execute(
                    "CREATE VIRTUAL TABLE \(Self.tree) USING RTREE (Z_PK INTEGER PRIMARY KEY, ZX_MIN FLOAT, ZX_MAX FLOAT)"
                )
                for statement in statements { try connection.execute(statement) }
            }
            let bench = try Bench(open(path))
            try body(bench)
            #expect(try bench.writer.integrityCheck() == [])
        }
    }

    @Test func `an r-tree is kept along with what is written`() throws {
        try withStore(adding: Self.triggers) { bench in
            #expect(!bench.file.hasForeignTriggers)
            let places = "SELECT Z_PK, CAST(ZX_MIN AS INTEGER) FROM \(Self.tree) ORDER BY Z_PK"
            try bench.save(inserts: [bench.insert("Place", [bench.integers("Place", "x", [5, 6])], count: 2)])
            #expect(try bench.query(places) == ["1|5", "2|6"])
            try bench.save(updates: [
                bench.update("Place", 1, version: 1, [bench.integers("Place", "x", [7])])
            ])
            #expect(try bench.query(places) == ["1|7", "2|6"])
            try bench.save(deletes: [bench.delete("Place", [2])])
            #expect(try bench.query(places) == ["1|7"])
        }
    }

    @Test(arguments: [
        // The same name, and something else besides.
        triggers[2].replacing(" ; END", with: " ; DELETE FROM ATRANSACTION ; END"),
        triggers[2].replacing("DELETE FROM Z_RT_Place_bounds WHERE Z_PK = OLD.Z_PK", with: "SELECT * FROM t"),
        "CREATE TRIGGER other AFTER INSERT ON ZPLACE BEGIN SELECT 1; END",
    ])
    func `a schema with a trigger that is not known is not trusted`(trigger: String) throws {
        try withStore(adding: ["CREATE TABLE t(a)"] + Self.triggers.dropLast() + [trigger]) { bench in
            #expect(bench.file.hasForeignTriggers)
            let error = #expect(throws: StoreError.self) { try insert(into: bench) }
            #expect(error.map { "\($0)".contains("unsafe use of virtual table") } ?? false)
            let count = try bench.query("SELECT count(*) FROM ZPLACE")
            #expect(count == ["0"])
        }
    }

    private func insert(into bench: Bench) throws {
        try bench.save(inserts: [bench.insert("Place", [bench.integers("Place", "x", [5])])])
    }

    @Test func `triggers that write into a virtual table of another kind are not trusted`() throws {
        let other = Self.triggers.map { $0.replacing(Self.tree, with: "Z_RT_Place_text") }
        let table = "CREATE VIRTUAL TABLE Z_RT_Place_text USING fts5(Z_PK, ZX_MIN, ZX_MAX)"
        try withStore(adding: [table] + other) { bench in
            #expect(bench.file.hasForeignTriggers)
            #expect(throws: StoreError.self) { try insert(into: bench) }
        }
    }
}
