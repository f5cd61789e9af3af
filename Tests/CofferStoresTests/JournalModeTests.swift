import CofferLinux
import CofferModel
import CofferSQLite
import CofferStores
import TestSupport
import Testing

/// Options of a store without a log.
private let oneFile: StoreOptions = {
    var options = StoreOptions()
    options.pragmas = ["journal_mode": "DELETE"]
    return options
}()

/// The two bytes of a file's header that say whether it is read with a log.
private func versions(of file: StoreFile) throws -> [UInt8] {
    Array(try file.folder.read(file.fileName, limit: 1 << 24)[18...19])
}

private func open(_ path: String, _ change: (inout StoreOptions) -> Void = { _ in }) throws -> StoreFile {
    var options = StoreOptions()
    change(&options)
    return try StoreFile.open(
        in: Folder(at: path), fileName: "Test.sqlite", model: StoreModel(Library.model()), options: options)
}

@Suite struct JournalModeTests {
    @Test func `between saves a store without a log is one file`() throws {
        try withStore(options: oneFile) { bench in
            try bench.save(inserts: [bench.insert("Shelf", count: 3)])
            let reader = try bench.file.makeReader()
            #expect(try bench.query("SELECT count(*) FROM ZSHELF") == ["3"])
            #expect(try bench.file.folder.names().sorted() == ["Test.sqlite", "Test.sqlite.lock"])
            #expect(try versions(of: bench.file) == [1, 1])
            #expect(bench.file.journal == .delete)
            withExtendedLifetime(reader) {}
        }
    }

    @Test func `what a log has goes into the file where a store is opened without one`() throws {
        try withTemporaryFolder { path in
            try withStore { bench in
                try bench.save(inserts: [bench.insert("Shelf", count: 3)])
                // As the store is left when its process dies.
                for name in ["Test.sqlite", "Test.sqlite-wal"] {
                    try Folder(at: path).replace(name, with: bench.file.folder.read(name, limit: 1 << 24))
                }
            }
            let bench = try Bench(open(path) { $0.pragmas = oneFile.pragmas })
            #expect(try bench.query("SELECT count(*) FROM ZSHELF") == ["3"])
            #expect(try !bench.file.folder.exists("Test.sqlite-wal"))
            #expect(try versions(of: bench.file) == [1, 1])
        }
    }

    @Test func `a store that was one file has a log again where nobody says otherwise`() throws {
        try withTemporaryFolder { path in
            do { _ = try Bench(open(path) { $0.pragmas = oneFile.pragmas }) }
            let second = try Bench(open(path))
            try second.save(inserts: [second.insert("Shelf")])
            #expect(try versions(of: second.file) == [2, 2])
            #expect(try second.file.folder.exists("Test.sqlite-wal"))
        }
    }

    @Test func `on a file system that other machines share, a store has no log`() throws {
        try withTemporaryFolder { path in
            let options = { (options: inout StoreOptions) in
                options.environment = StoreEnvironment(fileSystem: { _ in .network(name: "NFS") })
            }
            do {
                let bench = try Bench(open(path, options))
                #expect(bench.file.sharedFileSystem == "NFS")
                try bench.save(inserts: [bench.insert("Shelf")])
                #expect(try versions(of: bench.file) == [1, 1])
                #expect(try !bench.file.folder.exists("Test.sqlite-wal"))
            }
            #expect(throws: StoreError.sharedFileSystem(path: path + "/Test.sqlite", name: "NFS")) {
                try open(path) {
                    options(&$0)
                    $0.pragmas = ["journal_mode": "wal"]
                }
            }
            let reader = try open(path) {
                options(&$0)
                $0.isReadOnly = true
            }
            #expect(reader.sharedFileSystem == nil)
        }
    }
}
