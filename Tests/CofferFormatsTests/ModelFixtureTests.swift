import CofferFormats
import CofferModel
import FoundationEssentials
import TestSupport
import Testing

@Suite(.enabled(if: FixtureFolder.isThere, "the folder of fixtures is absent: set COFFER_FIXTURES"))
struct ModelFixtureTests {
    @Test func `there are models to read`() {
        #expect(FixtureFolder.models.count > 80)
    }

    @Test(arguments: FixtureFolder.models + FixtureFolder.binaryModels)
    func `a model of Xcode's reads and survives writing`(path: String) throws {
        let folder = try FixtureFolder.required()
        let versions = try ModelFile.versions(path: "\(folder)/\(path)")
        #expect(!versions.isEmpty)
        for version in versions {
            let text = ModelFile.xml(of: version.model)
            let again = try ModelFile.read(Array(text.utf8), file: "written")
            #expect(again == version.model, "\(path) \(version.name)")
            #expect(again.versionIdentifiers == version.model.versionIdentifiers)
            #expect(VersionHashes(of: again) == VersionHashes(of: version.model))
        }
        if let current = versions.first(where: \.isCurrent) {
            #expect(try ModelFile.read(path: "\(folder)/\(path)") == current.model)
        }
    }
}
