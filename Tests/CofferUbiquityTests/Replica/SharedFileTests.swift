import CofferCoordination
import CofferLinux
import CofferStores
import CofferUbiquity
import ContextSupport
import FoundationEssentials
import TestSupport
import Testing

@Suite struct SharedFileTests {
    private func names(of folder: Folder) throws -> [String] {
        try folder.names().filter { $0.hasPrefix("Store.sqlite") }.sorted()
    }

    @Test func `a look at a file leaves the log of a process that was killed, and makes none`() throws {
        try withTemporaryFolder { path in
            let (folder, copy) = (try Folder.make(at: "\(path)/store"), try Folder.make(at: "\(path)/copy"))
            let uuid: UUID
            do {
                let file = try StoreFile.open(
                    in: folder, fileName: "Store.sqlite", model: StoreModel(try teams()),
                    options: StoreOptions())
                let store = try PersistentStore(file: file)
                uuid = file.uuid
                // What a killed process leaves behind.
                for name in ["Store.sqlite", "Store.sqlite-wal"] {
                    try copy.openBeneath(name, [.writeOnly, .create], permissions: 0o600)
                        .writeAll(try folder.read(name, limit: 1 << 30))
                }
                try store.close()
            }
            #expect(try SharedFile("Store.sqlite", in: copy).uuid() == uuid)
            #expect(try names(of: copy).contains("Store.sqlite-wal"))
            #expect(try SharedFile("Store.sqlite", in: folder).uuid() == uuid)
            #expect(try !names(of: folder).contains("Store.sqlite-wal"))
        }
    }
}
