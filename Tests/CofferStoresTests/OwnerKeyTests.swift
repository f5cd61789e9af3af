import CofferLinux
import CofferModel
import CofferSQLite
import CofferStores
import CofferWire
import TestSupport
import Testing

/// How to-many relationships without inverse lie in a file: in members' rows, as Core Data has them.
struct OwnerKeyTests {
    private static func model(isOrdered: Bool = false) throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [
            EntityDefinition(
                "Binder", attributes: [],
                relationships: [
                    RelationshipDefinition("sheets", to: "Sheet", isToMany: true, isOrdered: isOrdered)
                ]),
            EntityDefinition(
                "Sheet", attributes: [AttributeDefinition("name", .string, isOptional: true)],
                relationships: [RelationshipDefinition("next", to: "Sheet")]),
            EntityDefinition("Photo", superentity: "Sheet", attributes: []),
        ])
    }

    private func columns(_ bench: Bench) throws -> [String] {
        try bench.query("SELECT name FROM pragma_table_info('ZSHEET')")
    }

    @Test func `the members' table has a column and an index for the owner's key`() throws {
        try withStore(Self.model(isOrdered: true)) { bench in
            let columns = try columns(bench)
            #expect(
                columns == [
                    "Z_PK", "Z_ENT", "Z_OPT", "ZNEXT", "Z2_NEXT", "Z1SHEETS", "Z_FOK_1SHEETS", "ZNAME",
                ])
            #expect(
                try bench.query("SELECT sql FROM sqlite_master WHERE name = 'ZSHEET_Z1SHEETS_INDEX'")
                    == ["CREATE INDEX ZSHEET_Z1SHEETS_INDEX ON ZSHEET (Z1SHEETS)"])
        }
    }

    @Test func `a store of ours from before there were such columns gets them when it is opened`() throws {
        try withTemporaryFolder { path in
            func open() throws -> Bench {
                try Bench(
                    StoreFile.open(
                        in: Folder(at: path), fileName: "Test.sqlite", model: StoreModel(Self.model())))
            }
            do {
                let bench = try open()
                try bench.save(inserts: [bench.insert("Binder"), bench.insert("Sheet", count: 2)])
                try bench.writer.connection.execute("DROP INDEX ZSHEET_Z1SHEETS_INDEX")
                try bench.writer.connection.execute("ALTER TABLE ZSHEET DROP COLUMN Z1SHEETS")
                let left = try columns(bench)
                #expect(!left.contains("Z1SHEETS"))
            }
            let bench = try open()
            let renewed = try columns(bench)
            #expect(renewed.last == "Z1SHEETS")
            let change = SetChange(
                entity: try bench.entity("Binder").index, property: try bench.property("Binder", "sheets"),
                owners: [1], targets: [2], removed: [])
            try bench.save(sets: [change])
            #expect(try bench.query("SELECT Z_PK, Z1SHEETS FROM ZSHEET") == ["1|NULL", "2|1"])
            #expect(
                try bench.query("SELECT count(*) FROM sqlite_master WHERE name = 'ZSHEET_Z1SHEETS_INDEX'")
                    == ["1"])
        }
    }

    @Test(.enabled(if: FixtureFolder.isThere, "the folder of fixtures is absent: set COFFER_FIXTURES"))
    func `a store of Core Data's that has such a column is read and written by it`() throws {
        try withTemporaryFolder { path in
            let name = try StoreFixtures.copy("stores/pulse/logs.sqlite", to: path)
            var options = StoreOptions()
            options.foreignFiles = .adopted
            let bench = try Bench(
                StoreFile.open(in: Folder(at: path), fileName: name, model: nil, options: options))
            let owner = try #require(
                bench.model.entities.first { entity in
                    entity.relationships.contains { $0.isToMany && $0.inverseIndex == nil }
                })
            let property = try #require(owner.propertyIndex(named: "metadata"))
            let key = try #require(
                Int64(try bench.query("SELECT min(Z_PK) FROM Z\(owner.name.uppercased())").first ?? ""))
            let inserted = try bench.save(inserts: [
                bench.insert("LoggerMetadataEntity", [bench.text("LoggerMetadataEntity", "key", ["k"])])
            ])
            let member = inserted.saved.firstKeys[0]
            try bench.save(sets: [
                SetChange(
                    entity: owner.index, property: property, owners: [key], targets: [member], removed: [])
            ])
            #expect(
                try bench.query("SELECT Z_PK, Z1METADATA FROM ZLOGGERMETADATAENTITY") == ["\(member)|\(key)"])
            let reply = try StoreReader(
                connection: bench.file.makeReader(), schema: bench.file.schema
            ).relationship(
                RelationshipRequestMessage(
                    store: 1, entity: owner.index, property: property, primaryKeys: [key]))
            #expect(reply.primaryKeys == [member])
            #expect(try bench.writer.integrityCheck() == [])
        }
    }
}
