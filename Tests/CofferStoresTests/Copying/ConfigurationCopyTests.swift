import CofferLinux
import CofferModel
import CofferStores
import CofferWire
import TestSupport
import Testing

/// Copies into the store of another configuration.
@Suite struct ConfigurationCopyTests {
    private static func model() throws -> ManagedObjectModel {
        try ManagedObjectModel(
            entities: [
                EntityDefinition(
                    "Note", attributes: [AttributeDefinition("text", .string, isOptional: true)],
                    relationships: [RelationshipDefinition("label", to: "Label")]),
                EntityDefinition(
                    "Label", attributes: [AttributeDefinition("name", .string, isOptional: true)]),
            ], configurations: ["Notes": ["Note"], "Both": ["Note", "Label"]])
    }

    private func open(_ path: String) throws -> Bench {
        try Bench(
            StoreFile.open(
                in: Folder(at: path), fileName: "Test.sqlite", model: StoreModel(Self.model()),
                configuration: "Both"))
    }

    private func copy(_ bench: Bench, in path: String) throws -> StoreCopy.Outcome {
        var options = StoreCopy.Options()
        options.configuration = "Notes"
        return try StoreCopy(of: bench.file, as: .sqlite, options: options).run(
            as: "Notes.sqlite", in: Folder(at: path))
    }

    @Test func `objects go into a configuration that has their entities`() throws {
        try withTemporaryFolder { path in
            let bench = try open(path)
            try bench.save(inserts: [bench.insert("Note", [bench.text("Note", "text", ["a"])])])
            #expect(try copy(bench, in: path).objectCount == 1)
            let file = try StoreFile.open(
                in: Folder(at: path), fileName: "Notes.sqlite", model: nil, configuration: "Notes")
            #expect(try Bench(file).query("SELECT ZTEXT FROM ZNOTE") == ["a"])
        }
    }

    @Test func `objects and relationships without a place there are told by name`() throws {
        try withTemporaryFolder { path in
            let bench = try open(path)
            let label = try bench.save(inserts: [bench.insert("Label")]).saved.firstKeys[0]
            try bench.save(inserts: [
                bench.insert("Note", [bench.reference("Note", "label", [("Label", label)])])
            ])
            let before = try Folder(at: path).names().sorted()
            let first = #expect(throws: StoreError.self) { try copy(bench, in: path) }
            #expect("\(first as Any)".contains("'Label'"))
            try bench.save(policy: .overwrite, deletes: [bench.delete("Label", [label])])
            // The reference still stands where its object was.
            let second = Result { try copy(bench, in: path) }
            let isNamed =
                switch second {
                case .success: try bench.query("SELECT ZLABEL FROM ZNOTE") == ["NULL"]
                case .failure(let error): "\(error)".contains("'Note.label'")
                }
            #expect(isNamed)
            if case .failure = second { #expect(try Folder(at: path).names().sorted() == before) }
        }
    }
}
