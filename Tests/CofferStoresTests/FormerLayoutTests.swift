import CofferFormats
import CofferLinux
import CofferModel
import CofferSQLite
import CofferStores
import CofferWire
import Foundation
import TestSupport
import Testing

/// Stores that were laid out by other rules than ours are now: what they have is gone by.
@Suite struct FormerLayoutTests {
    private func open(
        _ path: String, model: ManagedObjectModel? = nil, _ change: (inout StoreOptions) -> Void = { _ in }
    ) throws -> StoreFile {
        var options = StoreOptions()
        change(&options)
        return try StoreFile.open(
            in: Folder(at: path), fileName: "Test.sqlite", model: model.map { try StoreModel($0) },
            options: options)
    }

    @Test func `hashes of a store of ours that were made by other rules are put right once`() throws {
        var definitions = Library.definitions
        let author = try #require(definitions.firstIndex { $0.name == "Author" })
        definitions[author].uniquenessConstraints = [["name"], ["code"]]
        let model = try ManagedObjectModel(entities: definitions)
        let past = try #require(
            VersionHashes(of: model, configuration: "Default", rules: .declaredConstraints))
        try withTemporaryFolder { path in
            do {
                let file = try open(path, model: model)
                let bench = try Bench(file)
                try bench.save(inserts: [bench.insert("Shelf")])
                var metadata = try file.metadata(on: bench.writer.connection)
                metadata.versionHashes = past.entities
                let raw = try SQLiteConnection(path: path + "/Test.sqlite")
                let statement = try raw.prepare("UPDATE Z_METADATA SET Z_PLIST = ?1")
                try statement.bind(metadata.propertyList(), at: 1)
                try statement.run()
            }
            let reader = try open(path, model: model) { $0.isReadOnly = true }
            #expect(try reader.metadata(on: reader.makeReader()).versionHashes == past.entities)
            let file = try open(path, model: model)
            let metadata = try file.metadata(on: file.makeReader())
            #expect(metadata.versionHashes == VersionHashes(of: model).entities)
            #expect(metadata.digest == VersionHashes(of: model).digest)
            #expect(file.uuid == reader.uuid)
        }
    }

    @Test func `an application's own metadata are at the top of the property list and keep their kinds`()
        throws
    {
        try withTemporaryFolder { path in
            let bench = try Bench(open(path, model: Library.model()))
            var metadata = try bench.file.metadata(on: bench.writer.connection)
            metadata.other["Version"] = .integer(13_703)
            metadata.other["isNew"] = .boolean(true)
            metadata.other["list"] = .array([.integer(1)])
            metadata.other["CofferMetadata"] = .dictionary(["colour": .string("red")])
            try bench.writer.begin()
            let statement = try bench.writer.connection.prepare("UPDATE Z_METADATA SET Z_PLIST = ?1")
            try statement.bind(metadata.propertyList(), at: 1)
            try statement.run()
            let shown = try bench.writer.updateMetadata([
                "Version": MetadataValueMessage(text: "13704"), "NSMine": MetadataValueMessage(text: "x"),
            ])
            try bench.writer.commit()
            #expect(
                shown.values == [
                    "Version": 13_704, "isNew": true, "list": [1], "colour": "red", "NSMine": "x",
                ])
            let after = try bench.file.metadata(on: bench.writer.connection)
            #expect(after.values == shown.values)
            #expect(
                after.other == [
                    "Version": .integer(13_704), "isNew": .boolean(true), "list": .array([.integer(1)]),
                    "CofferMetadata": .dictionary(["colour": .string("red"), "NSMine": .string("x")]),
                ])
            try bench.writer.begin()
            _ = try bench.writer.updateMetadata(["colour": nil, "NSMine": nil])
            try bench.writer.commit()
            let rest = try bench.file.metadata(on: bench.writer.connection)
            #expect(rest.values.keys.sorted() == ["Version", "isNew", "list"])
            #expect(rest.other["CofferMetadata"] == nil)
        }
    }

    @Test func `a many-to-many table is found by its columns, whatever it is called`() throws {
        try withTemporaryFolder { path in
            do {
                let bench = try Bench(open(path, model: Library.model()))
                try bench.save(inserts: [
                    bench.insert("Tag", [bench.text("Tag", "name", ["a"])]), bench.insert("Poem"),
                ])
                let raw = try SQLiteConnection(path: path + "/Test.sqlite")
                let table = try #require(bench.file.schema.joinTables.first)
                try raw.execute("INSERT INTO \(table.name) VALUES(1, 1)")
                try raw.execute("ALTER TABLE \(table.name) RENAME COLUMN \(table.first) TO \(table.first)7")
                try raw.execute("ALTER TABLE \(table.name) RENAME TO Z_99OTHERS")
            }
            let file = try open(path, model: Library.model())
            #expect(file.schema.joinTables.map(\.name) == ["Z_99OTHERS"])
            let bench = try Bench(file)
            _ = try bench.save(deletes: [bench.delete("Tag", [1])])
            #expect(try bench.query("SELECT count(*) FROM Z_99OTHERS") == ["0"])
        }
    }

    @Test func `an entity is found by its former name, or by its place, and its numbers stay`() throws {
        for name in ["Label", "Nobody"] {
            try withTemporaryFolder { path in
                do {
                    let bench = try Bench(open(path, model: Library.model()))
                    try bench.save(inserts: [bench.insert("Tag", [bench.text("Tag", "name", ["a"])])])
                    let raw = try SQLiteConnection(path: path + "/Test.sqlite")
                    try raw.execute("UPDATE Z_PRIMARYKEY SET Z_NAME = '\(name)' WHERE Z_NAME = 'Tag'")
                }
                var definitions = Library.definitions
                let tag = try #require(definitions.firstIndex { $0.name == "Tag" })
                definitions[tag].renamingIdentifier = "Label"
                let file = try open(path, model: ManagedObjectModel(entities: definitions))
                let bench = try Bench(file)
                let next = try bench.save(inserts: [bench.insert("Tag", [bench.text("Tag", "name", ["b"])])])
                #expect(next.saved.firstKeys == [2])
            }
        }
    }
}
