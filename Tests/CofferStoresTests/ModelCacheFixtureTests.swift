import CofferFormats
import CofferLinux
import CofferModel
import CofferSQLite
import CofferStores
import CofferWire
import Foundation
import TestSupport
import Testing

/// The models that stores keep of themselves in Core Data's form: those that Core Data wrote, and ours.
@Suite struct ModelCacheFixtureTests {
    static let stores = [
        "coredataplus/SampleModel_renamed.sqlite", "plaso/netusage.sqlite",
        "plaso/Accounts3.sqlite", "plaso/knowledgec-10.14.db", "notes/NoteStore-macOS-12-Monterey.sqlite",
        "notes/withwal-macOS15-Sequioa-NoteStore.sqlite", "duckduckgo/Bookmarks_V1.sqlite",
        "duckduckgo/Bookmarks_V3.sqlite", "duckduckgo/Bookmarks_V4.sqlite", "pulse/logs.sqlite",
        "coredataplus/SampleModel_V1.sqlite", "coredataplus/SampleModel2_V2.sqlite",
        "photos/CLSLocationCache-10.15.7.sqlite", "photos/Photos-10.15.7-Single-Photo.sqlite",
    ]

    @Test(
        .enabled(if: FixtureFolder.isThere, "the folder of fixtures is absent: set COFFER_FIXTURES"),
        arguments: stores)
    func `the model that Core Data wrote has the hashes of its store, and survives our writing`(store: String)
        throws
    {
        let root = try FixtureFolder.required() + "/stores"
        try withTemporaryFolder { path in
            for suffix in ["", "-wal"]
            where FileManager.default.fileExists(atPath: "\(root)/\(store)\(suffix)") {
                try FileManager.default.copyItem(
                    atPath: "\(root)/\(store)\(suffix)", toPath: "\(path)/Test\(suffix)")
            }
            let connection = try SQLiteConnection(path: "\(path)/Test")
            let cache = try connection.prepare("SELECT Z_CONTENT FROM Z_MODELCACHE")
            #expect(try cache.step())
            let model = try ModelCache.read(cache.blob(0))
            let list = try connection.prepare("SELECT Z_PLIST FROM Z_METADATA")
            #expect(try list.step())
            let stored = try StoreMetadata(propertyList: list.blob(0)).versionHashes
            let hashes = VersionHashes(of: model).entities
            for (entity, hash) in stored { #expect(hashes[entity] == hash, "\(entity)") }
            let again = try ModelCache.read(ModelCache.content(of: model))
            #expect(VersionHashes(of: again).entities == hashes)
            #expect(again.configurations == model.configurations)
        }
    }

    /// The model that a store of Core Data's keeps.
    private func cachedModel(_ store: String) throws -> (ManagedObjectModel, SQLiteConnection) {
        let path = try FixtureFolder.required() + "/stores/" + store
        let connection = try SQLiteConnection(path: path, mode: .readOnly, vfs: SQLiteVFS(isSealed: true))
        let cache = try connection.prepare("SELECT Z_CONTENT FROM Z_MODELCACHE")
        #expect(try cache.step())
        return (try ModelCache.read(cache.blob(0)), connection)
    }

    @Test(.enabled(if: FixtureFolder.isThere, "the folder of fixtures is absent: set COFFER_FIXTURES"))
    func `fetched properties and rules with messages are read from the model that Core Data wrote`() throws {
        let (model, _) = try cachedModel("coredataplus/SampleModel2_V2.sqlite")
        let fetched = model.entities.flatMap(\.definition.fetchedProperties)
        let feedbacks = try #require(fetched.first { $0.name == "feedbacks" })
        #expect(feedbacks.request.entityName == "Feedback")
        #expect(feedbacks.request.predicate == "authorAlias == $FETCH_SOURCE.alias")
        #expect(feedbacks.request.sortDescriptors == [QuerySort("rating")])
        #expect(fetched.contains { $0.name == "favFeedbacks" && $0.userInfo == ["search": "great"] })
        let rules = model.entities.flatMap(\.attributes).flatMap(\.definition.validation.predicates)
        #expect(rules.contains { $0.message == "Title must have a length between 3 and 50 chars." })
        #expect(rules.contains { $0.format == "SELF CONTAINS \"title\"" }, "\(rules)")
        let again = try ModelCache.read(ModelCache.content(of: model))
        #expect(Set(again.entities.flatMap(\.definition.fetchedProperties)) == Set(fetched))
    }

    @Test(.enabled(if: FixtureFolder.isThere, "the folder of fixtures is absent: set COFFER_FIXTURES"))
    func `an index with a condition and an expression is made to the letter as Core Data made it`() throws {
        let (model, connection) = try cachedModel("photos/Photos-10.15.7-Single-Photo.sqlite")
        let index = try #require(
            model.entity(named: "GenericAsset")?.definition.indexes.first {
                $0.name == "byMonthHighlightBeingFirstAsset"
            })
        #expect(index.partialPredicate == "monthHighlightBeingFirstAsset != nil")
        #expect(index.elements.last?.expression == "entity")
        let statements = try SQLSchema(model: model, configuration: "Default").creationStatements
        let rows = try connection.prepare(
            "SELECT sql FROM sqlite_master WHERE name = 'Z_GenericAsset_byMonthHighlightBeingFirstAsset'")
        #expect(try rows.step())
        #expect(statements.contains(rows.text(0)), "\(rows.text(0))")
    }

    @Test(.enabled(if: FixtureFolder.isThere, "the folder of fixtures is absent: set COFFER_FIXTURES"))
    func `bounds of numbers are read from the model that Core Data wrote`() throws {
        let path = try FixtureFolder.required() + "/stores/notes/NoteStore-macOS-12-Monterey.sqlite"
        let connection = try SQLiteConnection(path: path, mode: .readOnly, vfs: SQLiteVFS(isSealed: true))
        let cache = try connection.prepare("SELECT Z_CONTENT FROM Z_MODELCACHE")
        #expect(try cache.step())
        let model = try ModelCache.read(cache.blob(0))
        let attributes = model.entities.flatMap(\.attributes).filter {
            $0.name == "serverSideUpdateTaskFailureCount"
        }
        #expect(!attributes.isEmpty && attributes.allSatisfy { $0.validation.minimum == 0 })
    }

    @Test(.enabled(if: FixtureFolder.isThere, "the folder of fixtures is absent: set COFFER_FIXTURES"))
    func `a store of Core Data's is opened without its model's file`() throws {
        let store = "coredataplus/SampleModel_V1.sqlite"
        let root = try FixtureFolder.required() + "/stores"
        try withTemporaryFolder { path in
            try FileManager.default.copyItem(atPath: "\(root)/\(store)", toPath: "\(path)/Test.sqlite")
            var options = StoreOptions()
            options.isReadOnly = true
            let file = try StoreFile.open(
                in: Folder(at: path), fileName: "Test.sqlite", model: nil, options: options)
            let reader = try StoreReader(connection: file.makeReader(), schema: file.schema)
            var fetch = FetchDescription(entityName: "Person")
            fetch.resultType = .count
            #expect(try reader.fetch(FetchRequestMessage(store: 1, fetch: fetch)).count > 0)
        }
    }

    @Test func `a store of ours has its model in Core Data's form`() throws {
        try withStore { bench in
            let cache = try bench.file.makeReader().prepare("SELECT Z_CONTENT FROM Z_MODELCACHE")
            #expect(try cache.step())
            let model = try ModelCache.read(cache.blob(0))
            #expect(VersionHashes(of: model) == VersionHashes(of: bench.model))
        }
        // Without our own tables it opens all the same.
        try withTemporaryFolder { path in
            let name = "Test.sqlite"
            do {
                let file = try StoreFile.open(
                    in: Folder(at: path), fileName: name, model: StoreModel(Library.model()))
                try file.makeWriter().checkpointFully()
            }
            try SQLiteConnection(path: "\(path)/\(name)").execute(
                "DROP TABLE COFFER_MODEL; DROP TABLE COFFER_STATE")
            var options = StoreOptions()
            options.isReadOnly = true
            let file = try StoreFile.open(in: Folder(at: path), fileName: name, model: nil, options: options)
            #expect(file.model.model.entities.map(\.name) == (try Library.model()).entities.map(\.name))
        }
    }
}
