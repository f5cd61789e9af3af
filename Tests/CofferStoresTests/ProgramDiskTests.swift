import CofferLinux
import CofferModel
import CofferStores
import TestSupport
import Testing

/// Stores on a file system of a program (FUSE), which refuses what newer kernels offer.
@Suite(.enabled(if: ProgramDisk.isPermitted, "bindfs is not there"))
struct ProgramDiskTests {
    @Test func `a store is made, written, backed up and copied there`() throws {
        try ProgramDisk.lend { path in
            let bench = try Bench(Gallery.open(in: path))
            try bench.save(inserts: [
                bench.pictures([Gallery.large(1), Gallery.large(2)], codes: ["a", "b"])
            ])
            let folder = try Folder(at: path)
            #expect(throws: Never.self) {
                try StoreBackup(of: bench.file, in: folder, as: "Backup.sqlite").run()
            }
            let backup = try Bench(StoreFile.open(in: folder, fileName: "Backup.sqlite", model: nil))
            #expect(try backup.data() == bench.data())
            for type in StoreType.allCases {
                let copy = try CopyHarness.copy(bench.file, as: type, in: path, name: "Copy.\(type)")
                try CopyHarness.expectEqual(copy, to: bench.file)
            }
            let names = try folder.names()
            #expect(names.allSatisfy { !$0.hasSuffix(".new") }, "\(names)")
        }
    }
}
