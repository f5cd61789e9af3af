import CofferFormats
import CofferModel
import FoundationEssentials
import TestSupport
import Testing

@Suite(.enabled(if: FixtureFolder.isThere, "the folder of fixtures is absent: set COFFER_FIXTURES"))
struct VersionHashFixtureTests {
    private struct Store: Decodable {
        var hashes: [String: String]
    }

    /// Which model version made which store of version-hashes.json.
    static let pairs: [(bundle: String, version: String, store: String)] = [
        ("bookmigration/Model", "Model1", "bookmigration/Model1.sqlite"),
        (
            "coredataplus/SampleModel", "SampleModel",
            "coredataplus/SampleModel/Fixtures/SampleModel_V1.sqlite"
        ),
        (
            "coredataplus/SampleModel", "SampleModel2",
            "coredataplus/SampleModel/Fixtures/SampleModel_V2.sqlite"
        ),
        ("coredataplus/SampleModel", "SampleModel2", "coredataplus/history/SampleModelV1-2018-09-22.sqlite"),
        ("coredataplus/SampleModel", "SampleModel2", "coredataplus/history/SampleModelV2-2018-11-06.sqlite"),
        ("coredataplus/SampleModel", "SampleModel3", "coredataplus/history/SampleModelV2-2018-09-22.sqlite"),
        ("duckduckgo/BookmarksModel", "BookmarksModel", "duckduckgo/stores/Bookmarks_V1.sqlite"),
        ("duckduckgo/BookmarksModel", "BookmarksModel 2", "duckduckgo/stores/Bookmarks_V2.sqlite"),
        ("duckduckgo/BookmarksModel", "BookmarksModel 3", "duckduckgo/stores/Bookmarks_V3.sqlite"),
        ("duckduckgo/BookmarksModel", "BookmarksModel 4", "duckduckgo/stores/Bookmarks_V4.sqlite"),
        ("duckduckgo/BookmarksModel", "BookmarksModel 5", "duckduckgo/stores/Bookmarks_V5.sqlite"),
        ("surfjournal/SurfJournalModel", "SurfJournalModel", "kodeco-surfjournal/SurfJournalModel.sqlite"),
    ]

    @Test(arguments: pairs.indices)
    func `a model has the hashes that Core Data wrote into its store`(index: Int) throws {
        let folder = try FixtureFolder.required()
        let file = URL(filePath: "\(folder)/version-hashes.json")
        let stores = try JSONDecoder().decode([String: Store].self, from: Data(contentsOf: file))
        let pair = Self.pairs[index]
        let versions = try ModelFile.versions(path: "\(folder)/stores/\(pair.bundle).xcdatamodeld")
        let version = try #require(versions.first { $0.name == pair.version })
        let store = try #require(stores[pair.store])
        #expect(VersionHashes(of: version.model).entities.mapValues { Hexadecimal.text($0) } == store.hashes)
    }

    @Test func `a model of Xcode 3 has the hashes that Core Data wrote into its store`() throws {
        let folder = try FixtureFolder.required()
        let model = try ModelFile.read(path: "\(folder)/elements/recipes/Recipes.xcdatamodel")
        let file = URL(filePath: "\(folder)/version-hashes.json")
        let stores = try JSONDecoder().decode([String: Store].self, from: Data(contentsOf: file))
        let store = try #require(stores.first { $0.key.hasSuffix("Recipes.sqlite") }?.value)
        #expect(VersionHashes(of: model).entities.mapValues { Hexadecimal.text($0) } == store.hashes)
        #expect(model.entity(named: "Recipe")?.definition.className == "Recipe")
        let image = try #require(
            model.entity(named: "Recipe")?.definition.attributes.first { $0.name == "thumbnailImage" })
        #expect(image.type == .transformable && image.transformerName == "ImageToDataTransformer")
    }

    @Test func `digests and checksums are those of the stores`() throws {
        let folder = try FixtureFolder.required()
        let versions = try ModelFile.versions(path: "\(folder)/stores/duckduckgo/BookmarksModel.xcdatamodeld")
        let first = VersionHashes(of: try #require(versions.first { $0.name == "BookmarksModel" }).model)
        let fourth = VersionHashes(of: try #require(versions.first { $0.name == "BookmarksModel 4" }).model)
        #expect(
            first.digest
                == "5KlKrVThxcoXSL+ZjFKY7n06yLOp+yhkgKcYEd/X2RK/9UmzKy8A4/X11PZ2vR9NjCIbeM7jNq9EoAHMv8yklQ==")
        #expect(
            fourth.digest
                == "f3zhRcli1vU1KL1eGWk+BkpW5eZLLlkgDMaIRfi7mC3a9eGmHvJvEoHfMAaXAYLC9Ua3nas4g1P8aXw0xiQM2g==")
        #expect(fourth.checksum == "iheL242Wk4NBM9JCcDWZC7hP4J9Hv8iA7W0XzuNEkZc=")
    }
}
