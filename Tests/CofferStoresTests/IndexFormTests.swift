import CofferLinux
import CofferModel
import CofferSQLite
import CofferStores
import TestSupport
import Testing

/// Fetch indexes of models that are not of all objects by properties: made as Core Data makes them, or
/// refused by name.
struct IndexFormTests {
    private func model(_ indexes: FetchIndexDefinition...) throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [
            EntityDefinition(
                "Place",
                attributes: [
                    AttributeDefinition("x", .integer64), AttributeDefinition("y", .double, isOptional: true),
                    AttributeDefinition("name", .string, isOptional: true),
                ], indexes: indexes)
        ])
    }

    private func open(_ path: String, _ model: ManagedObjectModel) throws -> StoreFile {
        try StoreFile.open(in: Folder(at: path), fileName: "Places", model: StoreModel(model))
    }

    @Test(arguments: [
        ("name != nil", "ZNAME IS NOT NULL"),
        ("x >= 3 AND (y == nil OR x == 1)", "(ZX >= 3 AND (ZY IS NULL OR ZX = 1))"),
    ])
    func `a condition becomes one of SQL, and objects are found with it`(format: String, sql: String) throws {
        let model = try model(
            FetchIndexDefinition(
                "some", elements: [.init("name"), .init(expression: "entity", isAscending: false)],
                partialPredicate: format))
        try withTemporaryFolder { path in
            let bench = try Bench(open(path, model))
            let found = try bench.query("SELECT sql FROM sqlite_master WHERE name = 'Z_Place_some'")
            #expect(
                found == [
                    "CREATE INDEX Z_Place_some ON ZPLACE (ZNAME COLLATE BINARY ASC, Z_ENT COLLATE BINARY DESC) WHERE  \(sql)"
                ])
            try bench.save(inserts: [bench.insert("Place", [bench.integers("Place", "x", [5, 1])], count: 2)])
            #expect(!bench.file.hasForeignTriggers && !bench.file.isReadOnly)
            #expect(try bench.writer.integrityCheck() == [])
        }
    }

    @Test func `an r-tree of the model is kept along with its table`() throws {
        let model = try model(
            FetchIndexDefinition("area", elements: [.init("x"), .init("y")], kind: .rTree))
        try withTemporaryFolder { path in
            do { _ = try open(path, model) }
            let bench = try Bench(open(path, model))
            #expect(!bench.file.hasForeignTriggers && !bench.file.isReadOnly)
            let places = "SELECT Z_PK, CAST(ZX_MIN AS INTEGER), CAST(ZX_MAX AS INTEGER) FROM Z_RT_Place_area"
            try bench.save(inserts: [bench.insert("Place", [bench.integers("Place", "x", [5, 6])], count: 2)])
            #expect(try bench.query(places) == ["1|5|5", "2|6|6"])
            try bench.save(deletes: [bench.delete("Place", [2])])
            #expect(try bench.query(places) == ["1|5|5"])
            #expect(try bench.writer.integrityCheck() == [])
        }
    }

    @Test(arguments: [
        FetchIndexDefinition("odd", elements: [.init("x")], partialPredicate: "name BEGINSWITH \"a\""),
        FetchIndexDefinition("odd", elements: [.init("x")], partialPredicate: "name =="),
        FetchIndexDefinition("odd", elements: [.init("x")], partialPredicate: "x != 3"),
        FetchIndexDefinition("odd", elements: [.init(expression: "lowercase:(name)")]),
        FetchIndexDefinition("odd", elements: [.init("name")], kind: .rTree),
        FetchIndexDefinition("odd", elements: [.init("x")], kind: .rTree, partialPredicate: "x > 1"),
    ])
    func `what has no known form is refused by name, and no file is made`(index: FetchIndexDefinition) throws
    {
        let model = try model(index)
        try withTemporaryFolder { path in
            let error = #expect(throws: StoreError.self) { try open(path, model) }
            let text = "\(error as Any)"
            #expect(error?.reason == "unfit_model" && text.contains("'odd' of 'Place'"), "\(text)")
            let names = try Folder(at: path).names()
            #expect(names == [])
        }
    }

    @Test func `a store that is there opens with a model of such an index`() throws {
        let odd = try model(
            FetchIndexDefinition("odd", elements: [.init("x")], partialPredicate: "name BEGINSWITH \"a\""))
        try withTemporaryFolder { path in
            do { _ = try open(path, model()) }
            let bench = try Bench(open(path, odd))
            try bench.save(inserts: [bench.insert("Place", [bench.integers("Place", "x", [5])])])
            #expect(try bench.query("SELECT count(*) FROM ZPLACE") == ["1"])
        }
    }

    @Test func `a migration makes an r-tree of what is there, and takes it away`() throws {
        let tree = FetchIndexDefinition("area", elements: [.init("x")], kind: .rTree)
        let plain = try model()
        var entity = try model(tree).entities[0].definition
        entity.attributes.append(AttributeDefinition("z", .double, isOptional: true))
        let wide = try ManagedObjectModel(entities: [entity])
        entity.indexes = []
        entity.attributes.append(AttributeDefinition("more", .double, isOptional: true))
        let last = try ManagedObjectModel(entities: [entity])
        try withMigration(from: plain.entities.map(\.definition), to: wide.entities.map(\.definition)) {
            (harness) throws in
            try harness.fill { bench in
                try bench.save(inserts: [
                    bench.insert("Place", [bench.integers("Place", "x", [5, 6])], count: 2)
                ])
            }
            do {
                let bench = try harness.migrate()
                let rows = "SELECT Z_PK, CAST(ZX_MIN AS INTEGER) FROM Z_RT_Place_area"
                #expect(try bench.query(rows) == ["1|5", "2|6"])
                try bench.save(deletes: [bench.delete("Place", [1])])
                #expect(try bench.query(rows) == ["2|6"])
            }
            let next = MigrationHarness(path: harness.path, source: wide, destination: last)
            let bench = try next.migrate()
            #expect(try bench.query("SELECT name FROM sqlite_master WHERE name GLOB 'Z_RT_*'") == [])
        }
    }
}
