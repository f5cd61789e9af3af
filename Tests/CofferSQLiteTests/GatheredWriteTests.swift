import CofferSQLite
import Glibc
import Testing

/// What the log is handed to the kernel in one write, and what must not be lost or left by that.
struct GatheredWriteTests {
    private static let long = String(repeating: "x", count: 9_000)

    @Test(arguments: ["full", "normal"])
    func `a commit is one write, and others see it at once`(synchronous: String) throws {
        let vfs = try SQLiteVFS()
        try withDatabase(vfs: vfs) { connection in
            _ = try connection.pragma("synchronous", synchronous)
            try connection.setAutomaticCheckpoint(frames: 0)
            let other = try SQLiteConnection(path: connection.path, mode: .readOnly)
            vfs.startCounting()
            for round in 1...10 {
                try connection.insert(Self.long)
                #expect(try other.count() == Int64(round))
            }
            #expect(vfs.count(.gatheredWrite, on: .wal) == 10)
            #expect(vfs.count(.write, on: .wal) >= 60)
        }
    }

    @Test(arguments: [SQLiteFault.Effect.full, .ioError, .shortWrite], [0, 1])
    func `a refused write takes the whole commit back`(effect: SQLiteFault.Effect, skipping: Int) throws {
        let vfs = try SQLiteVFS()
        try withDatabase(vfs: vfs) { connection in
            try connection.insert("before")
            vfs.inject(SQLiteFault(effect, at: .gatheredWrite, on: .wal, skipping: skipping))
            // The second time the transaction is longer than what is gathered at once.
            let text = String(repeating: "x", count: skipping == 0 ? 9_000 : 300_000)
            #expect(throws: SQLiteError.self) { try connection.insert(text) }
            #expect(vfs.faultCount == 1)
            #expect(connection.isAutocommit)
            #expect(try connection.count() == 1)
            #expect(try countElsewhere(connection) == 1)
            try connection.insert("after")
            #expect(try countElsewhere(connection) == 2)
        }
    }

    @Test func `the log grows ahead of what is written, and what others read of it is right`() throws {
        let vfs = try SQLiteVFS()
        try withDatabase(vfs: vfs) { connection in
            try connection.setAutomaticCheckpoint(frames: 0)
            var sizes: [Int64] = []
            for round in 1...300 {
                try connection.insert(Self.long)
                var facts = stat()
                try #require(unsafe stat(connection.path + "-wal", &facts) == 0)
                if sizes.last != Int64(facts.st_size) { sizes.append(Int64(facts.st_size)) }
                if round.isMultiple(of: 100) { #expect(try countElsewhere(connection) == Int64(round)) }
            }
            #expect(sizes.count < 10)
            try withCopy(of: connection.path) { copy in
                let (count, errors) = (try copy.count(), try copy.integrityCheck())
                #expect(count == 300 && errors.isEmpty)
            }
        }
    }

    @Test func `a crash in the middle of a write leaves the commits before it`() throws {
        let vfs = try SQLiteVFS()
        try withDatabase(vfs: vfs) { connection in
            for _ in 0..<3 { try connection.insert(Self.long) }
            vfs.inject(SQLiteFault(.shortWrite, at: .gatheredWrite, on: .wal))
            #expect(throws: SQLiteError.self) { try connection.insert(Self.long) }
            try withCopy(of: connection.path) { copy in
                #expect(try copy.count() == 3)
                #expect(try copy.integrityCheck().isEmpty)
                try copy.insert("goes on")
            }
        }
    }

    @Test func `a crash before the sync leaves the commit whole or not at all`() throws {
        let vfs = try SQLiteVFS()
        try withDatabase(vfs: vfs) { connection in
            for _ in 0..<3 { try connection.insert(Self.long) }
            vfs.inject(SQLiteFault(.ioError, at: .sync, on: .wal))
            #expect(throws: SQLiteError.self) { try connection.insert(Self.long) }
            try withCopy(of: connection.path) { copy in
                let count = try copy.count()
                #expect(count == 3 || count == 4)
                #expect(try copy.integrityCheck().isEmpty)
            }
        }
    }

    @Test func `what a lost transaction has spilled is never written over another's commit`() throws {
        let vfs = try SQLiteVFS()
        try withDatabase(vfs: vfs) { connection in
            _ = try connection.pragma("cache_size", "1")
            try connection.insert("first")
            let other = try SQLiteConnection(path: connection.path)
            _ = try other.pragma("synchronous", "full")
            for round in 0..<8 {
                try connection.begin()
                for _ in 0...(round * 3) { try connection.insert(Self.long) }
                try connection.rollback()
                try other.insert(Self.long + Self.long)
                try connection.insert("mine")
                #expect(try other.count() == Int64(3 + 2 * round))
                #expect(try other.integrityCheck().isEmpty)
            }
            try connection.checkpoint(mode: .truncate)
            #expect(try connection.count() == 17)
        }
    }

    @Test func `a savepoint that is taken back after it has spilled leaves the rest of its transaction`()
        throws
    {
        let vfs = try SQLiteVFS()
        try withDatabase(vfs: vfs) { connection in
            _ = try connection.pragma("cache_size", "1")
            for size in [1, 5, 20, 50] {
                let before = try connection.count()
                try connection.begin()
                try connection.insert(Self.long)
                try connection.savepoint("lost")
                for _ in 0..<size { try connection.insert(Self.long) }
                try connection.rollback(to: "lost")
                try connection.insert(Self.long)
                try connection.commit()
                let other = try SQLiteConnection(path: connection.path)
                #expect(try other.count() == before + 2)
                #expect(try other.integrityCheck().isEmpty)
            }
        }
    }
}

/// What another connection sees.
private func countElsewhere(_ connection: SQLiteConnection) throws -> Int64 {
    try SQLiteConnection(path: connection.path).count()
}

/// Opens a copy of a database and its log as they stand on the disk at this moment, as after the loss of the
/// process.
private func withCopy(of path: String, _ body: (SQLiteConnection) throws -> Void) throws {
    try withFolder { folder in
        let copy = folder + "/copy.sqlite"
        for suffix in ["", "-wal"] { try copyFile(path + suffix, to: copy + suffix) }
        try body(try SQLiteConnection(path: copy))
    }
}

private func copyFile(_ source: String, to target: String) throws {
    let from = unsafe open(source, O_RDONLY)
    let to = unsafe open(target, O_WRONLY | O_CREAT | O_EXCL, 0o600)
    defer {
        close(from)
        close(to)
    }
    var offset = off_t(0)
    while true {
        let count = unsafe sendfile(to, from, &offset, 1 << 20)
        if count == 0 { return }
        guard count > 0 else { throw SQLiteError.misuse(message: "no copy of \(source)") }
    }
}
