import CofferLinux
import CofferSQLite
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

    /// A crash before the new file has its place leaves the old one, by then without its log.
    @Test func `what a foreign file has in its log is in the file before it is replaced`() throws {
        try ForeignStore.lend(mode: "wal", keepsLog: true) { store in
            let old = "\(store.folder)/Old"
            try FileManager.default.linkItem(atPath: "\(store.folder)/\(ForeignStore.name)", toPath: old)
            try withTemporaryFolder { path in
                do {
                    let bench = try open(path)
                    try bench.save(inserts: [bench.insert("Tag")])
                    try bench.writer.checkpointFully()
                }
                let replacement = try StoreReplacement(
                    Folder(at: path).openBeneath("T"), of: ForeignStore.name, in: Folder(at: store.folder),
                    model: nil, configuration: "Default")
                _ = try replacement.takePlace(now: 1)
            }
            #expect(try store.query("SELECT count(*) FROM ZTAG") == ["1"])
            let connection = try SQLiteConnection(path: old, mode: .readWrite)
            let names = try connection.prepare("SELECT ZNAME FROM ZTAG WHERE Z_PK = 1")
            #expect(try names.step() && names.text(0) == "in the log")
        }
    }

    @Test func `a journal that was left beside the place is not taken for one of the new file`() throws {
        try withTemporaryFolder { path in
            do {
                let bench = try open(path)
                try bench.save(inserts: [bench.insert("Tag", count: 3)])
                try bench.writer.checkpointFully()
            }
            let folder = try Folder(at: path)
            try FileManager.default.copyItem(atPath: "\(path)/T", toPath: "\(path)/Copy")
            #expect(try StoreFile.remove("T", in: folder))
            for name in ["T-journal", ".T.new-journal"] { try folder.replace(name, with: [1]) }
            do {
                let replacement = try StoreReplacement(
                    folder.openBeneath("Copy"), of: "T", in: folder, model: nil, configuration: "Default")
                _ = try replacement.takePlace(now: 1)
            }
            #expect(try folder.names().filter { $0.hasSuffix("-journal") } == [])
            #expect(try open(path).query("SELECT count(*) FROM ZTAG") == ["3"])
        }
    }

    @Test func `a store that somebody reads is not replaced as if it could not be read`() throws {
        try withTemporaryFolder { path in
            do {
                let bench = try open(path)
                try bench.save(inserts: [bench.insert("Tag", count: 3)])
                try bench.writer.checkpointFully()
            }
            try FileManager.default.copyItem(atPath: "\(path)/T", toPath: "\(path)/Copy")
            let reader = try SQLiteConnection(path: "\(path)/T", mode: .readOnly)
            let statement = try reader.prepare("SELECT Z_PK FROM ZTAG")
            do {
                let bench = try open(path)
                #expect(try statement.step())
                try bench.save(inserts: [bench.insert("Tag", count: 4)])
            }
            let folder = try Folder(at: path)
            let replacement = try StoreReplacement(
                folder.openBeneath("Copy"), of: "T", in: folder, model: nil, configuration: "Default")
            let error = #expect(throws: StoreError.self) { try replacement.takePlace(now: 1) }
            guard case .busy = error else {
                Issue.record("\(error as Any)")
                return
            }
            statement.reset()
            let bench = try open(path)
            #expect(try bench.query("SELECT count(*) FROM ZTAG") == ["7"])
        }
    }

    @Test func `what is being prepared to take a store's place is not taken for remains`() throws {
        try withTemporaryFolder { path in
            do {
                let bench = try open(path)
                try bench.save(inserts: [bench.insert("Tag", count: 3)])
                try bench.writer.checkpointFully()
            }
            try FileManager.default.copyItem(atPath: "\(path)/T", toPath: "\(path)/Copy")
            let folder = try Folder(at: path)
            do {
                let replacement = try StoreReplacement(
                    folder.openBeneath("Copy"), of: "T", in: folder, model: nil, configuration: "Default")
                try StoreReplacement.removeRemains(of: "T", in: folder)
                #expect(try StoreFile.remove("T", in: folder))
                let error = #expect(throws: StoreError.self) {
                    try StoreReplacement(
                        folder.openBeneath("Copy"), of: "T", in: folder, model: nil, configuration: "Default")
                }
                guard case .lockedByOther = error else {
                    Issue.record("\(error as Any)")
                    return
                }
                _ = try replacement.takePlace(now: 1)
            }
            #expect(try folder.names().filter { $0.contains(".new") } == [])
            #expect(try open(path).query("SELECT count(*) FROM ZTAG") == ["3"])
        }
    }

    @Test func `what a crash left of a replacement is removed, the lock too`() throws {
        try withTemporaryFolder { path in
            let folder = try Folder(at: path)
            for left in [[".T.new"], [".T.new-wal", ".T.new-shm", ".T.new-journal"], [".T.new.lock"]] {
                for name in left { try folder.replace(name, with: [1]) }
                try StoreReplacement.removeRemains(of: "T", in: folder)
                #expect(try folder.names() == [])
            }
        }
    }

    @Test func `what is longer than there is room for is refused before any of it is copied`() throws {
        try withTemporaryFolder { path in
            let folder = try Folder(at: path)
            let free = try folder.freeByteCount()
            func refusal(ofByteCount count: Int, beginning: String = "SQLite format 3\0") throws
                -> StoreError?
            {
                let file = try folder.openBeneath("sparse", [.readWrite, .create])
                try file.writeAll(Array(beginning.utf8))
                try file.truncate(to: count)
                let error = #expect(throws: StoreError.self) {
                    try StoreReplacement(file, of: "T", in: folder, model: nil, configuration: "Default")
                }
                #expect(try folder.names() == ["sparse"])
                #expect(try file.facts().allocatedByteCount < 1 << 20)
                try folder.unlink("sparse")
                return error
            }
            if free < 1 << 39 {
                #expect(try refusal(ofByteCount: free + (1 << 30)) == .full(path: path))
                #expect(try refusal(ofByteCount: free - (1 << 20)) == .full(path: path), "some stays free")
            }
            guard case .tooLarge = try refusal(ofByteCount: (1 << 40) + 1) else {
                Issue.record("a file of more than a tebibyte was taken")
                return
            }
            guard case .notAStore = try refusal(ofByteCount: 1 << 41, beginning: "something else") else {
                Issue.record("a file that is not SQLite's was looked at further")
                return
            }
        }
    }
}
