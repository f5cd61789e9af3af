import CofferFormats
import CofferLinux
import CofferModel
import CofferStores
import Foundation
import TestSupport
import Testing

/// Stores of Core Data's that are taken to the next version of their application's model.
///
/// They are not part of the repository.
@Suite(.enabled(if: FixtureFolder.isThere, "the folder of fixtures is absent: set COFFER_FIXTURES"))
struct FixtureMigrationTests {
    static let stores = [
        (
            "stores/coredataplus/SampleModel_V1.sqlite",
            "stores/coredataplus/SampleModel.xcdatamodeld/SampleModel2"
        ),
        (
            "stores/duckduckgo/Bookmarks_V1.sqlite",
            "stores/duckduckgo/BookmarksModel.xcdatamodeld/BookmarksModel 2"
        ),
        (
            "stores/duckduckgo/Bookmarks_V1.sqlite",
            "stores/duckduckgo/BookmarksModel.xcdatamodeld/BookmarksModel 6"
        ),
        (
            "stores/duckduckgo/Bookmarks_V3.sqlite",
            "stores/duckduckgo/BookmarksModel.xcdatamodeld/BookmarksModel 4"
        ),
        (
            "stores/duckduckgo/Bookmarks_V4.sqlite",
            "stores/duckduckgo/BookmarksModel.xcdatamodeld/BookmarksModel 6"
        ),
    ]

    private func migration(of name: String, in path: String, to model: ManagedObjectModel) throws
        -> StoreMigration
    {
        var options = StoreOptions()
        options.foreignFiles = .adopted
        return try StoreMigration(of: name, in: Folder(at: path), to: StoreModel(model), options: options)
    }

    private func open(_ name: String, in path: String, _ model: ManagedObjectModel?) throws -> StoreFile {
        var options = StoreOptions()
        options.foreignFiles = model == nil ? .read : .adopted
        options.mustExist = true
        return try StoreFile.open(
            in: Folder(at: path), fileName: name, model: model.map { try StoreModel($0) }, options: options)
    }

    @Test(arguments: stores)
    func `a store of Core Data's has what a copy of its objects would have`(store: String, version: String)
        throws
    {
        let model = try ModelFile.read(path: FixtureFolder.required() + "/\(version).xcdatamodel")
        try withTemporaryFolder { path in
            let name = try StoreFixtures.copy(store, to: path)
            let file = try open(name, in: path, nil)
            let before = try ObjectGraph(reading: file)
            let wanted = before.migrated(by: try InferredMapping(from: file.model.model, to: model))
            let plan = try migration(of: name, in: path, to: model).plan()
            #expect(plan.obstacles.isEmpty && !before.objects.isEmpty)
            _ = try migration(of: name, in: path, to: model).run()
            let migrated = try open(name, in: path, model)
            #expect(try migrated.integrityCheck(on: migrated.makeReader()).isEmpty)
            let differences = try ObjectGraph(reading: migrated).differences(from: try #require(wanted))
            #expect(differences == [])
        }
    }

    // Row G6 of the behaviour cases.
    @Test func `five expensive sport cars are luxury cars`() throws {
        let model = try ModelFile.read(
            path: FixtureFolder.required()
                + "/stores/coredataplus/SampleModel.xcdatamodeld/SampleModel2.xcdatamodel")
        try withTemporaryFolder { path in
            let name = try StoreFixtures.copy("stores/coredataplus/SampleModel_V1.sqlite", to: path)
            _ = try migration(of: name, in: path, to: model).run()
            let graph = try ObjectGraph(reading: open(name, in: path, model))
            let cars = graph.objects.filter { $0.key.entity == "LuxuryCar" }
            #expect(cars.count == 5)
            #expect(cars.values.allSatisfy { $0.attributes["isLimitedEdition"]?.isNull == false })
        }
    }
}
