import CofferFormats
import CofferLinux
import CofferModel
import CofferSQLite
import CofferStores
import CofferWire
import Foundation
import TestSupport
import Testing

@Suite struct OpeningTests {
    private func open(
        _ path: String, _ name: String = "Test.sqlite", model: ManagedObjectModel? = nil,
        _ change: (inout StoreOptions) -> Void = { _ in }
    ) throws -> StoreFile {
        var options = StoreOptions()
        change(&options)
        return try StoreFile.open(
            in: Folder(at: path), fileName: name, model: model.map { try StoreModel($0) }, options: options)
    }

    @Test func `a new store is WAL, keeps its model and opens again without it`() throws {
        try withTemporaryFolder { path in
            let uuid: UUID
            do {
                let file = try open(path, model: Library.model())
                uuid = file.uuid
                #expect(file.isCreated)
                let reader = try file.makeReader()
                #expect(try reader.pragma("journal_mode") == "wal")
                #expect(try reader.pragma("page_size") == "4096")
                #expect(try reader.pragma("auto_vacuum") == "2")
                #expect(try reader.pragma("user_version") == "0")
                let metadata = try file.metadata(on: reader)
                #expect(try metadata.versionHashes == VersionHashes(of: Library.model()).entities)
                #expect(metadata.storeType == "SQLite")
                #expect(throws: SQLiteError.self) { try reader.execute("DELETE FROM ZTAG") }
            }
            let again = try open(path)
            #expect(!again.isCreated)
            #expect(again.uuid == uuid)
            #expect(try again.model.id == StoreModel(Library.model()).id)
            #expect(try VersionHashes(of: again.model.model) == VersionHashes(of: Library.model()))
            #expect(try Folder(at: path).names().sorted() == ["Test.sqlite", "Test.sqlite.lock"])
        }
    }

    @Test(arguments: ["-journal", "-wal", "-shm", ".lock"], [false, true])
    func `a FIFO with the name of a file beside a store is told of, and nobody waits for it`(
        suffix: String, isReadOnly: Bool
    ) throws {
        try withTemporaryFolder { path in
            _ = try open(path, model: Library.model())
            let place = "\(path)/Test.sqlite\(suffix)"
            try Folder(at: path).unlink("Test.sqlite\(suffix)")
            #expect(try ChildProcess("mkfifo", arguments: [place]).waitForExit() == .code(0))
            #expect(throws: StoreError.strangeCompanion(path: place)) {
                try open(path) { $0.isReadOnly = isReadOnly }
            }
            try Folder(at: path).unlink("Test.sqlite\(suffix)")
            _ = try open(path) { $0.isReadOnly = isReadOnly }
        }
    }

    @Test(.enabled(if: SmallDisk.isPermitted))
    func `of a store on a disk that can only be read writers are told so, and readers read it`()
        throws
    {
        try withTemporaryFolder { path in
            try SmallDisk.lend(at: path, kilobytes: 4096) {
                _ = try open(path, model: Library.model())
                for isWithoutLock in [false, true] {
                    if isWithoutLock {
                        try SmallDisk.setReadOnly(false, at: path)
                        try Folder(at: path).unlink("Test.sqlite.lock")
                    }
                    try SmallDisk.setReadOnly(true, at: path)
                    #expect(throws: StoreError.readOnly(path: "\(path)/Test.sqlite")) { try open(path) }
                    let file = try open(path) { $0.isReadOnly = true }
                    #expect(try file.integrityCheck(on: file.makeReader()) == [])
                }
            }
        }
    }

    @Test(.enabled(if: SmallDisk.isPermitted), arguments: [false, true])
    func `a store on a disk that can only be read is read and copied without being asked to`(keepsLog: Bool)
        throws
    {
        try withTemporaryFolder { path in
            try withTemporaryFolder { target in
                try SmallDisk.lend(at: path, kilobytes: 4096) {
                    do {
                        let bench = try Bench(open(path, model: Library.model()))
                        try bench.save(inserts: [bench.insert("Tag", count: 3)])
                        if keepsLog { try bench.writer.connection.disableCheckpointOnClose() }
                    }
                    try SmallDisk.setReadOnly(true, at: path)
                    let before = try FolderSnapshot(of: path)
                    #expect(throws: StoreError.readOnly(path: "\(path)/Test.sqlite")) { try open(path) }
                    do {
                        let file = try open(path) { $0.foreignFiles = .read }
                        #expect(file.isReadOnly && file.adoption == nil)
                        let count = try file.makeReader().prepare("SELECT count(*) FROM ZTAG")
                        #expect(try count.step() && count.int64(0) == 3)
                        let made = try StoreBackup(of: file, in: Folder(at: target), as: "Backup.sqlite")
                            .run()
                        #expect(made?.number == 1)
                        _ = try StoreCopy(of: file, as: .xml).run(as: "Copy.xml", in: Folder(at: target))
                    }
                    #expect(try FolderSnapshot(of: path) == before)
                }
            }
        }
    }

    @Test func `a lock tells who holds it to those who cannot take it`() throws {
        try withTemporaryFolder { path in
            let folder = try Folder(at: path)
            #expect(try LockFile.holder(of: "a.lock", in: folder) == nil)
            do {
                let lock = try LockFile.acquire("a.lock", in: folder)
                #expect(try LockFile.holder(of: "a.lock", in: folder)?.pid == CurrentProcess.id)
                withExtendedLifetime(lock) {}
            }
            #expect(try LockFile.holder(of: "a.lock", in: folder) == nil)
        }
    }

    @Test func `rows and counters are there after reopening`() throws {
        try withTemporaryFolder { path in
            do {
                let bench = try Bench(open(path, model: Library.model()))
                try bench.save(inserts: [
                    bench.insert("Tag", [bench.text("Tag", "name", ["a", "b"])], count: 2)
                ])
            }
            let file = try open(path, model: Library.model())
            #expect(file.openingNumber == 1)
            let bench = try Bench(file)
            let saved = try bench.save(inserts: [bench.insert("Tag", [bench.text("Tag", "name", ["c"])])])
            #expect(saved.saved.number == 2)
            #expect(saved.saved.firstKeys == [3])
            #expect(try bench.writer.integrityCheck() == [])
        }
    }

    @Test func `a file that is not a store is named and left as it was`() throws {
        try withTemporaryFolder { path in
            let folder = try Folder(at: path)
            try folder.replace("text", with: Array("Dear diary, today nothing happened at all.".utf8))
            try folder.replace("empty", with: [])
            _ = try folder.makeFolders("folder")
            for (name, detail) in [
                ("text", "it is not an SQLite database"), ("empty", "the file is empty"),
                ("folder", "it is not a regular file"),
            ] {
                #expect(throws: StoreError.notAStore(path: path + "/" + name, detail: detail)) {
                    try open(path, name, model: Library.model())
                }
            }
            #expect(try folder.read("text", limit: 100).count == 42)
            #expect(try folder.read("empty", limit: 100) == [])
            do {
                let other = try SQLiteConnection(path: path + "/other")
                try other.execute("CREATE TABLE t(a)")
            }
            let before = try folder.read("other", limit: 100_000)
            #expect(throws: StoreError.self) { try open(path, "other", model: Library.model()) }
            #expect(try folder.read("other", limit: 100_000) == before)
        }
    }

    @Test func `a missing store is made only where that is wanted`() throws {
        try withTemporaryFolder { path in
            #expect(throws: StoreError.notFound(path: path + "/Test.sqlite")) {
                try open(path, model: Library.model()) { $0.mustExist = true }
            }
            #expect(throws: StoreError.notFound(path: path + "/Test.sqlite")) {
                try open(path, model: Library.model()) { $0.isReadOnly = true }
            }
            #expect(throws: StoreError.unknownModel(path: path + "/Test.sqlite")) { try open(path) }
            let names = try Folder(at: path).names()
            #expect(names.isEmpty)
        }
    }

    @Test func `a model with other hashes is told what differs`() throws {
        try withTemporaryFolder { path in
            do { _ = try open(path, model: Library.model()) }
            var definitions = Library.definitions
            definitions.removeAll { $0.name == "Box" || $0.name == "Shelf" }
            definitions.append(EntityDefinition("Crate"))
            let tag = try #require(definitions.firstIndex { $0.name == "Tag" })
            definitions[tag].attributes[0].isOptional = false
            let other = try ManagedObjectModel(entities: definitions)
            #expect(
                throws: StoreError.incompatible(
                    differing: ["Tag"], missing: ["Crate"], unknown: ["Box", "Shelf"],
                    changes: [
                        "Box is gone: its objects are deleted", "Shelf is gone: its objects are deleted",
                        "Crate is new: it has no objects yet",
                        "Tag.name: it is required, was optional: no object may lack a value",
                    ])
            ) { try open(path, model: other) }
        }
    }

    @Test func `a store has one owner for writing and any number of readers`() throws {
        try withTemporaryFolder { path in
            let owner = try open(path, model: Library.model())
            #expect(throws: StoreError.self) { try open(path, model: Library.model()) }
            let reader = try open(path, model: Library.model()) {
                $0.isReadOnly = true
            }
            #expect(throws: StoreError.readOnly(path: path + "/Test.sqlite")) { try reader.makeWriter() }
            withExtendedLifetime(owner) {}
        }
    }

    @Test(arguments: [
        ("cache_size", "-4000", true), ("synchronous", "normal", true), ("synchronous", "off", false),
        ("journal_size_limit", "1000", true), ("temp_store", "memory", true), ("secure_delete", "fast", true),
        ("wal_autocheckpoint", "0", false), ("journal_mode", "delete", true),
        ("journal_mode", "memory", false), ("cache_size", "big", false),
    ])
    func `options are taken from the safe list only`(_ name: String, _ value: String, _ isSafe: Bool) throws {
        try withTemporaryFolder { (path: String) throws in
            let attempt = { try open(path, model: Library.model()) { $0.pragmas = [name: value] } }
            if isSafe {
                _ = try Bench(attempt())
            } else {
                #expect(throws: StoreError.pragmaRefused(name: name)) { try attempt() }
                let names = try Folder(at: path).names()
                #expect(names.isEmpty)
            }
        }
    }

    @Test(arguments: [
        ("cache_size", "1048576", "2048"), ("cache_size", "-1048576", "-8192"),
        ("cache_size", "-4000", "-4000"),
        ("temp_store", "MEMORY", "1"), ("temp_store", "2", "1"),
    ])
    func `options take at most the memory that there is for one`(name: String, value: String, taken: String)
        throws
    {
        try withTemporaryFolder { path in
            let file = try open(path, model: Library.model()) { $0.pragmas = [name: value] }
            #expect(try file.makeReader().pragma(name) == taken)
            #expect(try file.makeWriter().connection.pragma(name) == taken)
        }
    }

    @Test func `texts of applications are kept beside the metadata`() throws {
        try withTemporaryFolder { path in
            do {
                let bench = try Bench(open(path, model: Library.model()))
                try bench.writer.begin()
                let both = try bench.writer.updateMetadata([
                    "colour": MetadataValueMessage(text: "red"), "size": MetadataValueMessage(text: "5"),
                ])
                #expect(both.values.count == 2)
                #expect(try bench.writer.updateMetadata(["size": nil]).values == ["colour": "red"])
                try bench.writer.commit()
            }
            let file = try open(path, model: Library.model())
            #expect(try file.metadata(on: file.makeReader()).values == ["colour": "red"])
        }
    }
}
