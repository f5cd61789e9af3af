import CofferLinux
import CofferStores
import CofferWire
import Foundation
import TestSupport
import Testing

@Suite struct ReplacementTests {
    private func open(_ path: String) throws -> Bench {
        try Bench(StoreFile.open(in: Folder(at: path), fileName: "T", model: StoreModel(Library.model())))
    }

    @Test func `a store that an older copy of it replaces gives no key out again`() throws {
        try withTemporaryFolder { path in
            do {
                let bench = try open(path)
                try bench.save(inserts: [bench.insert("Tag", count: 3), bench.insert("Poem")])
                try bench.writer.checkpointFully()
            }
            try FileManager.default.copyItem(atPath: "\(path)/T", toPath: "\(path)/Copy")
            do {
                let bench = try open(path)
                try bench.save(inserts: [bench.insert("Tag", count: 4)])
                try bench.save(deletes: [bench.delete("Tag", [7])])
            }
            let folder = try Folder(at: path)
            let replacement = try StoreReplacement(
                folder.openBeneath("Copy"), of: "T", in: folder, model: nil, configuration: "Default")
            _ = try replacement.takePlace(now: 1)
            let bench = try open(path)
            #expect(try bench.query("SELECT Z_PK FROM ZTAG ORDER BY 1") == ["1", "2", "3"])
            #expect(try bench.save(inserts: [bench.insert("Tag")]).saved.firstKeys == [8])
            #expect(try bench.save(inserts: [bench.insert("Novel")]).saved.firstKeys == [2])
        }
    }
}
