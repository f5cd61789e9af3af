import CofferLinux
import CofferStores
import CofferWire
import Foundation
import TestSupport
import Testing

/// A log whose store is gone: a user removed the file only, or a crash ended the removal half-way.
@Suite struct OrphanedLogTests {
    private func open(_ path: String) throws -> Bench {
        try Bench(
            StoreFile.open(in: Folder(at: path), fileName: "Test.sqlite", model: StoreModel(Library.model())))
    }

    /// A folder with the log of a store that had the tag "old", and without the store.
    private func withOrphan(_ body: (_ path: String) throws -> Void) throws {
        try withTemporaryFolder { path in
            let folder = try Folder(at: path)
            var log: [UInt8] = []
            do {
                let bench = try open(path)
                try bench.save(inserts: [bench.insert("Tag", [bench.text("Tag", "name", ["old"])])])
                log = try folder.read("Test.sqlite-wal", limit: 1 << 24)
            }
            #expect(!log.isEmpty)
            try folder.unlink("Test.sqlite")
            try folder.replace("Test.sqlite-wal", with: log)
            try body(path)
        }
    }

    @Test func `a new store has nothing of one before it whose log was left`() throws {
        try withOrphan { path in
            let bench = try open(path)
            #expect(bench.file.isCreated)
            #expect(try bench.query("SELECT count(*) FROM ZTAG") == ["0"])
            #expect(try bench.query("SELECT count(*) FROM ATRANSACTION") == ["0"])
            #expect(
                try bench.query("SELECT Z_UUID FROM Z_METADATA") == [bench.file.uuid.uuidString])
            try bench.save(inserts: [bench.insert("Tag", [bench.text("Tag", "name", ["new"])])])
            #expect(try bench.query("SELECT ZNAME FROM ZTAG") == ["new"])
            #expect(try bench.writer.integrityCheck() == [])
        }
    }

    @Test func `removing a store whose file is gone removes what it left`() throws {
        try withOrphan { path in
            let folder = try Folder(at: path)
            _ = try folder.makeFolders(".Test_SUPPORT/_EXTERNAL_DATA")
            #expect(try !StoreFile.remove("Test.sqlite", in: folder))
            let names = try folder.names()
            #expect(names.isEmpty)
            #expect(try !StoreFile.remove("Test.sqlite", in: folder))
        }
    }

    @Test func `what an open store has beside it stays though its file is gone`() throws {
        try withTemporaryFolder { path in
            let folder = try Folder(at: path)
            let bench = try open(path)
            try bench.save(inserts: [bench.insert("Tag")])
            try folder.unlink("Test.sqlite")
            #expect(throws: StoreError.self) { try StoreFile.remove("Test.sqlite", in: folder) }
            #expect(try folder.exists("Test.sqlite-wal"))
        }
    }
}
