import CofferFormats
import CofferLinux
import CofferModel
import CofferStores
import Foundation
import TestSupport
import Testing

/// Copies of Core Data's own stores, which are only read.
@Suite(.enabled(if: FixtureFolder.isThere, "the folder of fixtures is absent: set COFFER_FIXTURES"))
struct FixtureCopyTests {
    @Test(.leftToAll, arguments: StoreFixtures.all, [false, true])
    func `a store of Core Data's has all of it in each type, and stays as it is`(
        fixture: String, isPlain: Bool
    ) throws {
        try withTemporaryFolder { path in
            try FileManager.default.createDirectory(atPath: path + "/from", withIntermediateDirectories: true)
            let name = try StoreFixtures.copy(fixture, to: path + "/from")
            let before = try FolderSnapshot(of: path + "/from")
            var types = StoreType.allCases
            while let type = types.popLast() {
                let file = try CopyHarness.open(name, in: path + "/from")
                if file.isModelGuessed {
                    #expect(throws: StoreError.unknownModel(path: file.path)) {
                        try StoreCopy(of: file, as: type)
                    }
                    continue
                }
                let copy: (store: StoreFile, outcome: StoreCopy.Outcome)
                do {
                    copy = try CopyHarness.copy(file, as: type, in: path, isPlain: isPlain)
                } catch StoreError.unfitModel, StoreError.unsupported {
                    // Names that XML cannot tell apart, say.
                    #expect(type == .xml)
                    continue
                }
                try CopyHarness.expectEqual(copy, to: file, "\(type)")
            }
            #expect(try FolderSnapshot(of: path + "/from") == before)
        }
    }
}
