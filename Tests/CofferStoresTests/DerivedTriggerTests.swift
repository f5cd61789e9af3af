import CofferLinux
import CofferModel
import CofferSQLite
import CofferStores
import CofferWire
import Foundation
import TestSupport
import Testing

@Suite struct DerivedTriggerTests {
    private func withCoreDataStore(_ body: (StoreFile) throws -> Void) throws {
        let name = "SampleModel2_V2.sqlite"
        let root = try FixtureFolder.required() + "/stores"
        try withTemporaryFolder { path in
            try FileManager.default.copyItem(
                atPath: "\(root)/coredataplus/\(name)", toPath: "\(path)/\(name)")
            var options = StoreOptions()
            options.foreignFiles = .adopted
            let model = try ManagedObjectModel(entities: SampleBooks.entities)
            try body(
                StoreFile.open(
                    in: Folder(at: path), fileName: name, model: StoreModel(model), options: options))
        }
    }

    @Test(.enabled(if: FixtureFolder.isThere, "the folder of fixtures is absent: set COFFER_FIXTURES"))
    func `the triggers of a count are those of Core Data's store, letter by letter`() throws {
        try withCoreDataStore { file in
            var theirs: [String] = []
            try withStore(ManagedObjectModel(entities: SampleBooks.entities)) { bench in
                theirs = try bench.query("SELECT sql FROM sqlite_master WHERE type = 'trigger' ORDER BY name")
            }
            let bench = try Bench(file)
            let ours = try bench.query("SELECT sql FROM sqlite_master WHERE type = 'trigger' ORDER BY name")
            #expect(ours.count == 5 && ours == theirs)
            #expect(!file.hasForeignTriggers)
        }
    }

    @Test(.enabled(if: FixtureFolder.isThere, "the folder of fixtures is absent: set COFFER_FIXTURES"))
    func `F49: a count in a store of Core Data's is right, and stays so when we write`() throws {
        try withCoreDataStore { file in
            let bench = try Bench(file)
            let counts = "SELECT sum(ZPAGESCOUNT), (SELECT count(*) FROM ZPAGE) FROM ZBOOK"
            #expect(try bench.query(counts) == ["119|119"])
            let book = try #require(
                bench.query("SELECT Z_PK, ZPAGESCOUNT, Z_OPT FROM ZBOOK WHERE Z_ENT = 1").first)
            let facts = book.split(separator: "|").compactMap { Int64($0) }
            let reply = try bench.save(inserts: [
                bench.insert(
                    "Page",
                    [
                        Column(property: try bench.property("Page", "isBookmarked"), values: .bits([0])),
                        bench.integers("Page", "number", [7]),
                        Column(
                            property: try bench.property("Page", "content"),
                            values: .bytes(ByteRuns(data: [1], ends: [1]))),
                        bench.reference("Page", "book", [("Book", facts[0])]),
                    ])
            ])
            let derived = try #require(reply.saved.derived.first)
            #expect(derived.primaryKeys == [facts[0]] && derived.columns.count == 1)
            #expect(derived.columns[0].values == .integers([facts[1] + 1]))
            #expect(try bench.query(counts) == ["120|120"])
            let version = "SELECT Z_OPT FROM ZBOOK WHERE Z_PK = \(facts[0])"
            #expect(try bench.query(version) == ["\(facts[2] + 1)"], "of the pages, not of their count")
            try bench.save(deletes: [bench.delete("Page", reply.saved.firstKeys)])
            #expect(try bench.query(counts) == ["119|119"])
        }
    }

    static func people(_ expression: String, type: AttributeType = .integer64) throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [
            EntityDefinition(
                "Person",
                attributes: [
                    AttributeDefinition("name", .string, isOptional: true),
                    AttributeDefinition("age", .integer16, isOptional: true),
                    AttributeDefinition("derived", type, isOptional: true, derivationExpression: expression),
                ],
                relationships: [
                    RelationshipDefinition("boss", to: "Person", inverse: "team"),
                    RelationshipDefinition("team", to: "Person", inverse: "boss", isToMany: true),
                ])
        ])
    }

    @Test(arguments: [
        "age", "name.@count", "team", "team.age", "boss.@count", "boss.name", "max:(team.age)",
        "team.@max.age",
        "length:(name)", "age + 1", "team.team.@count", "nothing", "uppercase:(age)", "derived", ")",
    ])
    func `an expression that no store keeps right makes no store`(_ expression: String) throws {
        #expect(throws: StoreError.self) { try withStore(Self.people(expression, type: .integer64)) { _ in } }
    }

    @Test(arguments: ["team.@count", "count:(team)", "sum:(team.age)", "team.age.@sum", "team.@sum.age"])
    func `a store whose triggers are missing gets them, with the values`(_ expression: String) throws {
        try withTemporaryFolder { path in
            let model = try Self.people(expression)
            func open() throws -> StoreFile {
                try StoreFile.open(in: Folder(at: path), fileName: "T.sqlite", model: StoreModel(model))
            }
            do {
                let bench = try Bench(open())
                let saved = try bench.save(inserts: [
                    bench.insert("Person", [bench.integers("Person", "age", [1])])
                ])
                let boss = ("Person", saved.saved.firstKeys[0])
                try bench.save(inserts: [
                    bench.insert(
                        "Person",
                        [
                            bench.integers("Person", "age", [2, 2]),
                            bench.reference("Person", "boss", [boss, boss]),
                        ], count: 2)
                ])
                #expect(!bench.file.hasForeignTriggers)
                for name in try bench.query("SELECT name FROM sqlite_master WHERE type = 'trigger'") {
                    try bench.writer.connection.execute("DROP TRIGGER \(name)")
                }
                try bench.writer.connection.execute("UPDATE ZPERSON SET ZDERIVED = NULL")
            }
            let bench = try Bench(open())
            let wanted = expression.contains("age") ? "4" : "2"
            #expect(try bench.query("SELECT ZDERIVED FROM ZPERSON ORDER BY Z_PK") == [wanted, "0", "0"])
            #expect(try bench.query("SELECT name FROM sqlite_master WHERE type = 'trigger'") != [])
            #expect(!bench.file.hasForeignTriggers)
            try bench.save(deletes: [bench.delete("Person", [2])])
            let left = expression.contains("age") ? "2" : "1"
            #expect(try bench.query("SELECT ZDERIVED FROM ZPERSON WHERE Z_PK = 1") == [left])
        }
    }

    @Test func `nobody but the store writes a derived attribute`() throws {
        try withStore(Self.people("canonical:(name)", type: .string)) { bench in
            let columns = [try bench.text("Person", "derived", ["x"])]
            #expect(throws: StoreError.self) {
                try bench.save(inserts: [bench.insert("Person", columns)])
            }
            try bench.save(inserts: [bench.insert("Person", [bench.text("Person", "name", ["É"])])])
            #expect(throws: StoreError.self) {
                try bench.save(updates: [bench.update("Person", 1, version: 1, columns)])
            }
            #expect(try bench.query("SELECT ZDERIVED FROM ZPERSON") == ["e"])
        }
    }

    @Test func `a trigger that nobody knows turns the row cache off`() throws {
        try withTemporaryFolder { path in
            let model = try StoreModel(Self.people("team.@count"))
            do {
                let bench = try Bench(StoreFile.open(in: Folder(at: path), fileName: "T", model: model))
                try bench.writer.connection.execute(
                    "CREATE TRIGGER T AFTER INSERT ON ZPERSON BEGIN UPDATE ZPERSON SET ZAGE = 1; END")
            }
            #expect(try StoreFile.open(in: Folder(at: path), fileName: "T", model: model).hasForeignTriggers)
        }
    }

    @Test func `a model without derived attributes has no triggers, and no functions for them`() throws {
        try withStore { bench in
            let triggers = try bench.query("SELECT name FROM sqlite_master WHERE type = 'trigger'")
            #expect(triggers == [])
            let connection = bench.writer.connection
            #expect(throws: SQLiteError.self) { try connection.execute("SELECT NSCoreDataNow()") }
        }
    }

    @Test(arguments: ["PARAMETER_INSERT", "OF_ANOTHER_NAME"])
    func `somebody else's trigger for an attribute is left alone, and gets none of ours beside it`(
        _ name: String
    ) throws {
        try withTemporaryFolder { path in
            let model = try StoreModel(Self.people("team.@count"))
            let triggers = "SELECT name FROM sqlite_master WHERE type = 'trigger'"
            func open() throws -> Bench {
                try Bench(StoreFile.open(in: Folder(at: path), fileName: "T", model: model))
            }
            let name = "Z_DA_ZPERSON_Person_derived_\(name)"
            do {
                let bench = try open()
                for ours in try bench.query(triggers) {
                    try bench.writer.connection.execute("DROP TRIGGER \(ours)")
                }
                try bench.writer.connection.execute(
                    "CREATE TRIGGER \(name) AFTER INSERT ON ZPERSON BEGIN "
                        + "UPDATE ZPERSON SET ZDERIVED = 7 WHERE Z_PK = NEW.Z_PK; END")
            }
            let bench = try open()
            #expect(try bench.query(triggers) == [name] && bench.file.hasForeignTriggers)
            try bench.save(inserts: [bench.insert("Person")])
            #expect(try bench.query("SELECT ZDERIVED FROM ZPERSON") == ["7"])
        }
    }
}
