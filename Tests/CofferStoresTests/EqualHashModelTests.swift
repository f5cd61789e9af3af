import CofferLinux
import CofferModel
import CofferStores
import TestSupport
import Testing

/// A store that is opened with a model whose hashes are those of its own, and which is another nevertheless.
@Suite struct EqualHashModelTests {
    /// Drafts in the configuration "Local"; `others` are entities of the configuration "Shared".
    private func model(_ others: [Entity], of shared: [String]) throws -> ManagedObjectModel {
        try ManagedObjectModel {
            Entity("Draft") {
                Field("title", .string).optional()
            }
            for other in others { other }
            Configuration("Local", "Draft")
            Configuration("Shared", shared)
        }
    }

    private func open(_ path: String, _ model: ManagedObjectModel) throws -> StoreFile {
        try StoreFile.open(
            in: Folder(at: path), fileName: "Local.sqlite", model: StoreModel(model), configuration: "Local")
    }

    @Test func `an attribute with external storage is not taken for one whose values history preserves`()
        throws
    {
        func picture(external: Bool) throws -> ManagedObjectModel {
            try ManagedObjectModel(entities: [
                EntityDefinition(
                    "Picture",
                    attributes: [
                        AttributeDefinition(
                            "data", .binary, allowsExternalStorage: external,
                            preservesValueOnDeletion: !external)
                    ])
            ])
        }
        try withTemporaryFolder { path in
            let folder = try Folder(at: path)
            do {
                _ = try StoreFile.open(in: folder, fileName: "T", model: StoreModel(picture(external: true)))
            }
            #expect(throws: StoreError.incompatible(differing: ["Picture"], missing: [], unknown: [])) {
                try StoreFile.open(in: folder, fileName: "T", model: StoreModel(picture(external: false)))
            }
            _ = try StoreFile.open(in: folder, fileName: "T", model: StoreModel(picture(external: true)))
        }
    }

    @Test func `an entity of another configuration that inherits from one of the store's is told of`() throws
    {
        try withTemporaryFolder { path in
            do { _ = try open(path, model([Entity("Zebra")], of: ["Zebra"])) }
            let heir = Entity("Quoted", parent: "Draft") { Field("quote", .string).optional() }
            #expect(throws: StoreError.incompatible(differing: ["Draft"], missing: [], unknown: [])) {
                try open(path, model([heir, Entity("Zebra")], of: ["Quoted", "Zebra"]))
            }
        }
    }
}
