import CofferLinux
import CofferModel
import CofferSQLite
import CofferStores
import Glibc
import TestSupport
import Testing

/// Opens the store of a file system that knows only locks of whole files.
private func open(_ path: String, isReadOnly: Bool = false) throws -> StoreFile {
    var options = StoreOptions()
    options.isReadOnly = isReadOnly
    options.environment = StoreEnvironment(
        fileSystem: { _ in .network(name: "AFS") }, fileLocks: { _, _, _ in .wholeFiles })
    return try StoreFile.open(
        in: Folder(at: path), fileName: "Test.sqlite", model: StoreModel(Library.model()), options: options)
}

/// A connection of this process to that store, past all that the store does.
private func connection(_ path: String, _ file: StoreFile) throws -> SQLiteConnection {
    try SQLiteConnection(path: path + "/Test.sqlite", mode: .readWrite, vfs: file.vfs)
}

private func shelfCount(_ connection: SQLiteConnection) throws -> Int64 {
    let statement = try connection.prepare("SELECT count(*) FROM ZSHELF")
    return try statement.step() ? statement.int64(0) : -1
}

@Suite struct `Stores whose file systems lock whole files only` {
    @Test func `they have no log, and are saved and read as any other`() throws {
        try withTemporaryFolder { path in
            try withStore { bench in
                try bench.save(inserts: [bench.insert("Shelf", count: 3)])
                // As the store is left when its process dies.
                for name in ["Test.sqlite", "Test.sqlite-wal"] {
                    try Folder(at: path).replace(name, with: bench.file.folder.read(name, limit: 1 << 24))
                }
            }
            let bench = try Bench(open(path))
            #expect(bench.file.journal == .delete && bench.file.sharedFileSystem == "AFS")
            try bench.save(inserts: [bench.insert("Shelf")])
            #expect(try bench.query("SELECT count(*) FROM ZSHELF") == ["4"])
            let other = try bench.file.makeReader()
            #expect(try shelfCount(other) == 4)
            #expect(try bench.file.folder.names().sorted() == ["Test.sqlite", "Test.sqlite.lock"])
        }
    }

    @Test func `a second process may not write, and reads what is saved`() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let path = folder.path
        let bench = try Bench(open(path))
        try bench.save(inserts: [bench.insert("Shelf", count: 3)])
        await #expect(processExitsWith: .exitCode(7)) { [path = path as String] in
            do {
                _ = try open(path)
                exit(1)
            } catch StoreError.lockedByOther {
                let file = try open(path, isReadOnly: true)
                exit(try shelfCount(file.makeReader()) == 3 ? 7 : 2)
            }
        }
        // While a save is under way, reading waits for it.
        let writing = try connection(path, bench.file)
        try writing.begin(.immediate)
        try writing.execute("DELETE FROM ZSHELF")
        await #expect(processExitsWith: .exitCode(8)) { [path = path as String] in
            let vfs = try SQLiteVFS(isSealed: true, locks: .wholeFiles)
            let reader = try SQLiteConnection(path: path + "/Test.sqlite", mode: .readOnly, vfs: vfs)
            do { exit(try shelfCount(reader) == 3 ? 2 : 3) } catch SQLiteError.busy { exit(8) }
        }
        try writing.rollback()
        try bench.save(inserts: [bench.insert("Shelf")])
        #expect(try bench.query("SELECT count(*) FROM ZSHELF") == ["4"])
    }

    @Test func `a process that is killed in a write leaves neither its lock nor its half`() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let path = folder.path
        do {
            let bench = try Bench(open(path))
            try bench.save(inserts: [bench.insert("Shelf", count: 3)])
        }
        await #expect(processExitsWith: .signal(9)) { [path = path as String] in
            let file = try open(path)
            let writing = try connection(path, file)
            _ = try writing.pragma("cache_size", "1")
            _ = try writing.pragma("cache_spill", "1")
            try writing.begin(.immediate)
            try writing.execute("CREATE TABLE half(value)")
            for _ in 0..<100 { try writing.execute("INSERT INTO half VALUES(zeroblob(9000))") }
            try ProcessControl.kill(CurrentProcess.id, .kill)
        }
        #expect(try Folder(at: path).exists("Test.sqlite-journal"), "it had begun to write the file itself")
        let bench = try Bench(open(path))
        #expect(try bench.query("SELECT count(*) FROM ZSHELF") == ["3"])
        #expect(try bench.query("SELECT count(*) FROM sqlite_master WHERE name = 'half'") == ["0"])
        try bench.save(inserts: [bench.insert("Shelf")])
        #expect(try bench.query("PRAGMA integrity_check") == ["ok"])
    }

    @Test func `where there are no locks at all, nothing is written`() throws {
        try withTemporaryFolder { path in
            do { _ = try open(path) }
            var options = StoreOptions()
            options.environment = StoreEnvironment(
                fileSystem: { _ in .userSpace }, fileLocks: { _, _, _ in .none })
            #expect(throws: StoreError.noLocks(path: path + "/Test.sqlite")) {
                try StoreFile.open(
                    in: Folder(at: path), fileName: "Test.sqlite", model: StoreModel(Library.model()),
                    options: options)
            }
        }
    }

    @Test func `which locks there are is found out without leaving anything`() throws {
        try withTemporaryFolder { path in
            let folder = try Folder(at: path)
            #expect(try folder.fileLocks(by: "Test.sqlite.lock", mayMake: true) == .ranges)
            #expect(try folder.fileLocks(by: "Test.sqlite.lock", mayMake: false) == .ranges)
            #expect(try folder.names() == [])
        }
    }
}
