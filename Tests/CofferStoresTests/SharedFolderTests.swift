import CofferLinux
import CofferStores
import Foundation
import TestSupport
import Testing

/// Stores whose names differ in their ends only have one folder for their values.
@Suite struct SharedFolderTests {
    /// A folder with a store that has a picture of a byte.
    private func withPicture(_ byte: UInt8, _ body: (_ path: String) throws -> Void) throws {
        try withTemporaryFolder { path in
            do {
                let bench = try Bench(Gallery.open(in: path))
                try bench.save(inserts: [bench.pictures([Gallery.large(byte)])])
            }
            try body(path)
        }
    }

    @Test func `a store that goes leaves the values of another that shares its folder`() throws {
        try withPicture(1) { path in
            let folder = try Folder(at: path)
            // As Core Data has it, the folder is called as the store is without what follows the last dot.
            try FileManager.default.copyItem(atPath: "\(path)/Test.sqlite", toPath: "\(path)/Test.other")
            _ = try StoreFile.remove("Test.other", in: folder)
            do {
                let bench = try Bench(Gallery.open(in: path))
                #expect(try bench.data() == [1: Gallery.large(1)])
            }
            // A file that is not a store shares nothing.
            try folder.replace("Test.txt", with: Array("no store".utf8))
            _ = try StoreFile.remove("Test.sqlite", in: folder)
            #expect(try folder.names().sorted() == ["Test.txt"])
        }
    }

    @Test func `a copy never shares its values with a store`() throws {
        try withPicture(1) { path in
            let folder = try Folder(at: path)
            do {
                let bench = try Bench(Gallery.open(in: path))
                let error = #expect(throws: StoreError.self) {
                    try StoreBackup(of: bench.file, in: folder, as: "Test.copy")
                }
                guard case .unfitTarget? = error else {
                    return #expect(Bool(false), "\(error as Any)")
                }
                var options = StoreBackup.Options()
                options.isOneFile = true
                #expect(
                    try StoreBackup(of: bench.file, in: folder, as: "Test.copy", options: options).run()
                        != nil)
            }
            // Another store's copy beside it, made twice, takes no value of it away.
            try withTemporaryFolder { other in
                let bench = try Bench(Gallery.open(in: other))
                var options = StoreBackup.Options()
                options.replaces = true
                for value in [5, 6] as [UInt8] {
                    try bench.save(inserts: [bench.pictures([Gallery.large(value)])])
                    #expect(
                        try StoreBackup(of: bench.file, in: folder, as: "Test.second", options: options).run()
                            != nil)
                }
            }
            let bench = try Bench(Gallery.open(in: path))
            #expect(try bench.data() == [1: Gallery.large(1)])
        }
    }
}
