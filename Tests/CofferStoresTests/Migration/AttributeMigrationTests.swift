import CofferModel
import CofferSQLite
import CofferStores
import CofferWire
import Foundation
import Testing

/// Attributes come, go, change their names, their types and what they must have.
@Suite struct AttributeMigrationTests {
    private static func tag(_ attributes: AttributeDefinition..., constraints: [[String]] = [])
        -> [EntityDefinition]
    {
        [EntityDefinition("Tag", attributes: attributes, uniquenessConstraints: constraints)]
    }

    private static let name = AttributeDefinition("name", .string, isOptional: true)

    /// Three objects with the names given.
    private func fill(_ harness: MigrationHarness, _ names: [String?] = ["a", nil, "c"]) throws {
        try harness.fill { bench in
            try bench.save(inserts: [
                bench.insert("Tag", [bench.text("Tag", "name", names)], count: names.count)
            ])
        }
    }

    @Test func `a new attribute has its default in the objects that are there`() throws {
        let new = Self.tag(
            Self.name, AttributeDefinition("rank", .integer64, defaultValue: .integer(7)),
            AttributeDefinition("note", .string, isOptional: true),
            AttributeDefinition(
                "price", .decimal, isOptional: true,
                defaultValue: .decimal(Decimal(string: "0.1234567890123456789") ?? 0)))
        try withMigration(from: Self.tag(Self.name), to: new) { harness in
            try fill(harness)
            let bench = try harness.migrate()
            #expect(
                try bench.query("SELECT Z_PK, Z_OPT, ZNAME, ZRANK, ZNOTE FROM ZTAG")
                    == ["1|1|a|7|NULL", "2|1|NULL|7|NULL", "3|1|c|7|NULL"])
            #expect(
                try bench.query("SELECT DISTINCT digits, property FROM COFFER_DECIMAL")
                    == ["1234567890123456789e-19|ZPRICE"])
            #expect(
                try bench.save(inserts: [bench.insert("Tag", [bench.integers("Tag", "rank", [1])])]).saved
                    .firstKeys == [4])
        }
    }

    @Test func `an attribute keeps its values under another name`() throws {
        let swapped = [
            EntityDefinition(
                "Tag",
                attributes: [
                    AttributeDefinition("name", .string, isOptional: true, renamingIdentifier: "note"),
                    AttributeDefinition("note", .string, isOptional: true, renamingIdentifier: "name"),
                ])
        ]
        let old = Self.tag(Self.name, AttributeDefinition("note", .string, isOptional: true))
        try withMigration(from: old, to: swapped) { harness in
            try fill(harness)
            let bench = try harness.migrate()
            #expect(try bench.query("SELECT ZNAME, ZNOTE FROM ZTAG") == ["NULL|a", "NULL|NULL", "NULL|c"])
        }
    }

    @Test func `an attribute goes with its values, and the plan says how many`() throws {
        let old = Self.tag(Self.name, AttributeDefinition("note", .string, isOptional: true))
        try withMigration(from: old, to: Self.tag(AttributeDefinition("note", .string, isOptional: true))) {
            harness in
            try fill(harness)
            let plan = try harness.migration().plan()
            let property = try #require(plan.entities.first?.properties.first)
            #expect(property.change == .removed && property.droppedCount == 2 && plan.dropsData)
            #expect(property.examples.map(\.value) == ["a", "c"])
            let bench = try harness.migrate()
            #expect(try bench.query("SELECT * FROM ZTAG") == ["1|1|1|NULL", "2|1|1|NULL", "3|1|1|NULL"])
        }
    }

    @Test func `values of another type stand for the same`() throws {
        let number = Self.tag(AttributeDefinition("name", .integer32, isOptional: true))
        try withMigration(from: Self.tag(Self.name), to: number) { harness in
            try fill(harness, ["17", nil, "-3"])
            let bench = try harness.migrate()
            #expect(
                try bench.query("SELECT ZNAME, typeof(ZNAME) FROM ZTAG")
                    == ["17|integer", "NULL|null", "-3|integer"])
        }
    }

    @Test func `what cannot be converted is refused with the first objects, and nothing changes`() throws {
        let number = Self.tag(AttributeDefinition("name", .integer16, isOptional: true))
        try withMigration(from: Self.tag(Self.name), to: number) { harness in
            try fill(harness, ["17", "x", nil, "40000"])
            do {
                _ = try harness.migration().run()
                Issue.record("migrated")
            } catch StoreError.unmigratable(_, let obstacles) {
                guard
                    case .unconvertible("Tag", "name", "String", "Integer 16", 2, let examples)? = obstacles
                        .first
                else {
                    Issue.record("\(obstacles)")
                    return
                }
                #expect(examples.map(\.key) == [2, 4] && examples.map(\.value) == ["x", "40000"])
            }
            let bench = try Bench(harness.open(harness.source))
            #expect(try bench.query("SELECT ZNAME FROM ZTAG") == ["17", "x", "NULL", "40000"])
        }
    }

    @Test func `a required attribute takes its default where there is no value`() throws {
        let required = Self.tag(AttributeDefinition("name", .string, defaultValue: .string("it's")))
        try withMigration(from: Self.tag(Self.name), to: required) { harness in
            try fill(harness)
            let bench = try harness.migrate()
            #expect(try bench.query("SELECT ZNAME FROM ZTAG") == ["a", "it's", "c"])
        }
    }

    @Test func `a required attribute without a default is refused where there is no value`() throws {
        let required = Self.tag(AttributeDefinition("name", .string), AttributeDefinition("more", .date))
        try withMigration(from: Self.tag(Self.name), to: required) { harness in
            try fill(harness)
            let plan = try harness.migration().plan()
            let found = plan.obstacles.map { obstacle in
                guard case .missing(_, let attribute, let count, let examples) = obstacle else {
                    return "\(obstacle)"
                }
                return "\(attribute) \(count) \(examples.map(\.key))"
            }
            #expect(found == ["more 3 [1, 2, 3]", "name 1 [2]"])
            #expect(throws: StoreError.self) { try harness.migration().run() }
        }
    }

    @Test func `a relationship that is required from now on is refused where objects lead to none`() throws {
        func entities(_ relationships: [(String, isOptional: Bool)]) -> [EntityDefinition] {
            [
                EntityDefinition(
                    "Tag", attributes: [Self.name],
                    relationships: relationships.map {
                        RelationshipDefinition($0.0, to: "Tag", isOptional: $0.isOptional)
                    })
            ]
        }
        let old = entities([("owner", true)])
        for (new, expected) in [
            (entities([("owner", false)]), ["owner 3 [1, 2, 3]"]),
            (entities([("owner", true), ("other", false)]), ["other 3 [1, 2, 3]"]),
            (entities([("owner", true), ("other", true)]), []),
        ] {
            try withMigration(from: old, to: new) { harness in
                try fill(harness)
                let found = try harness.migration().plan().obstacles.map { obstacle in
                    guard case .missing("Tag", let property, let count, let examples) = obstacle else {
                        return "\(obstacle)"
                    }
                    return "\(property) \(count) \(examples.map(\.key))"
                }
                #expect(found == expected)
                if expected.isEmpty {
                    _ = try harness.migrate()
                } else {
                    #expect(throws: StoreError.self) { try harness.migration().run() }
                }
            }
        }
    }

    @Test(arguments: [true, false])
    func `a required relationship whose links are written anew is not refused`(hadInverse: Bool) throws {
        func entities(isNew: Bool) -> [EntityDefinition] {
            let notes = RelationshipDefinition(
                "notes", to: "Note", inverse: isNew || hadInverse ? "folder" : nil, isToMany: true,
                isOrdered: isNew)
            let folder = RelationshipDefinition("folder", to: "Folder", inverse: "notes", isOptional: !isNew)
            return [
                EntityDefinition("Folder", relationships: [notes]),
                EntityDefinition("Note", relationships: isNew || hadInverse ? [folder] : []),
            ]
        }
        try withMigration(from: entities(isNew: false), to: entities(isNew: true)) { harness in
            try harness.fill { bench in
                try bench.save(inserts: [bench.insert("Folder"), bench.insert("Note", [], count: 2)])
                let column = try #require(
                    bench.query(
                        "SELECT name FROM pragma_table_info('ZNOTE') WHERE name LIKE '%FOLDER' OR name LIKE '%NOTES'"
                    ).first)
                try bench.writer.connection.execute("UPDATE ZNOTE SET \(column) = 1")
            }
            #expect(try harness.migration().plan().obstacles == [])
            let bench = try harness.migrate()
            #expect(try bench.query("SELECT count(*) FROM ZNOTE WHERE ZFOLDER = 1") == ["2"])
        }
    }

    @Test func `values that new bounds forbid are told with their number`() throws {
        let bounded = Self.tag(
            AttributeDefinition("name", .string, isOptional: true, validation: .init(maximum: 2)))
        try withMigration(from: Self.tag(Self.name), to: bounded) { harness in
            try fill(harness, ["a", nil, "abc", "ab", "abcd"])
            let plan = try harness.migration().plan()
            let details = plan.entities.flatMap(\.properties).map(\.detail)
            #expect(details == ["2 values that the new bounds forbid stay until they are changed"])
            #expect(try harness.migrate().query("SELECT count(*) FROM ZTAG") == ["5"])
        }
    }

    @Test func `a new constraint is refused where objects agree, and made where none do`() throws {
        let unique = Self.tag(Self.name, constraints: [["name"]])
        try withMigration(from: Self.tag(Self.name), to: unique) { harness in
            try fill(harness, ["a", nil, "b", "a", nil])
            guard
                case .duplicates("Tag", ["name"], 1, let groups)? = try harness.migration().plan().obstacles
                    .first
            else {
                Issue.record("no duplicates")
                return
            }
            #expect(groups.map(\.values) == [["a"]] && groups.map(\.keys) == [[1, 4]])
            let bench = try Bench(harness.open(harness.source))
            try bench.save(deletes: [bench.delete("Tag", [4])])
        }
        try withMigration(from: Self.tag(Self.name), to: unique) { harness in
            try fill(harness, ["a", nil, "b", nil])
            #expect(try harness.migrate().query("SELECT count(*) FROM ZTAG") == ["4"])
        }
    }
}
