import CofferLinux
import CofferStores
import TestSupport
import Testing

/// What Core Data wrote, looked at and adopted.
@Suite(.enabled(if: FixtureFolder.isThere, "the folder of fixtures is absent: set COFFER_FIXTURES"))
struct ForeignFixtureTests {
    /// Opens the store in a folder, with the model that it keeps.
    private func open(_ name: String, in path: String, _ policy: ForeignFiles) throws -> StoreFile {
        var options = StoreOptions()
        options.mustExist = true
        options.foreignFiles = policy
        return try StoreFile.open(in: Folder(at: path), fileName: name, model: nil, options: options)
    }

    @Test(arguments: StoreFixtures.all)
    func `a store of Core Data's stays as it is, whoever asks without consent`(fixture: String) throws {
        try withTemporaryFolder { path in
            let name = try StoreFixtures.copy(fixture, to: path)
            let before = try FolderSnapshot(of: path)
            var keepsModel = false
            do {
                let file = try open(name, in: path, .read)
                #expect(try file.integrityCheck(on: file.makeReader()) == [])
                keepsModel = !file.isModelGuessed
            }
            #expect(try FolderSnapshot(of: path) == before)
            let refusal = #expect(throws: StoreError.self) { try open(name, in: path, .refused) }
            #expect(
                keepsModel
                    ? ["not_adopted", "unadoptable"].contains(refusal?.reason)
                    : refusal?.reason == "unknown_model", "\(refusal as Any)")
            #expect(try FolderSnapshot(of: path) == before)
        }
    }

    /// Why some cannot be adopted, by the model that they keep alone; Photos has r-trees and triggers.
    static let refusals = [
        "elements/recipes/Recipes.sqlite": "unknown_model",
        "stores/bookmigration/Model1.sqlite": "unknown_model",
        "stores/surfjournal/SurfJournalModel.sqlite": "unknown_model",
        "stores/photos/Photos-10.15.7-Single-Photo.sqlite": "unadoptable",
    ]

    @Test(arguments: StoreFixtures.all)
    func `a store of Core Data's is adopted whole, or stays as it is`(fixture: String) throws {
        try withTemporaryFolder { path in
            let name = try StoreFixtures.copy(fixture, to: path)
            let before = try FolderSnapshot(of: path)
            do {
                let file = try open(name, in: path, .adopted)
                let writer = try file.makeWriter()
                #expect(try writer.integrityCheck() == [])
                #expect(!file.isReadOnly && file.adoption == nil)
                #expect(Self.refusals[fixture] == nil)
            } catch let error as StoreError {
                #expect(error.reason == Self.refusals[fixture], "\(error)")
                #expect(try FolderSnapshot(of: path) == before)
            }
        }
    }
}
