import CofferSQLite
import Glibc
import Testing

struct ConnectionTests {
    @Test func `the library takes our configuration`() {
        #expect(SQLiteLibrary.isConfigured)
        #expect(SQLiteLibrary.version.hasPrefix("3."))
    }

    @Test func `cached statements are found again and the unused one gives way`() throws {
        try withFolder { folder in
            var options = SQLiteConnection.Options()
            options.cachedStatements = 2
            let connection = try SQLiteConnection(path: folder + "/a.sqlite", options: options)
            for sql in ["SELECT 1", "SELECT 2", "SELECT 1", "SELECT 3", "SELECT 1", "SELECT 2"] {
                try connection.cached(sql).run()
            }
            #expect(connection.statementCacheCounts.hits == 2)
            #expect(connection.statementCacheCounts.misses == 4)
        }
    }

    @Test func `a cached statement that is in use is not shared`() throws {
        try withDatabase { connection in
            let outer = try connection.cached("SELECT ?1")
            try outer.bind(Int64(1), at: 1)
            #expect(try outer.step())
            let inner = try connection.cached("SELECT ?1")
            #expect(inner !== outer)
            #expect(outer.int64(0) == 1)
        }
    }

    @Test func `a savepoint is kept or taken back`() throws {
        try withDatabase { connection in
            try connection.begin()
            #expect(!connection.isAutocommit)
            try connection.savepoint("one")
            try connection.insert("kept")
            #expect(connection.changes == 1)
            try connection.release("one")
            try connection.savepoint("a \"quoted\" name")
            try connection.insert("lost")
            try connection.rollback(to: "a \"quoted\" name")
            try connection.release("a \"quoted\" name")
            try connection.commit()
            #expect(connection.isAutocommit)
            #expect(try connection.count() == 1)
            #expect(connection.totalChanges == 2)
        }
    }

    @Test func `what a statement left that failed is noticed, though SQLite does not count it`() throws {
        try withDatabase { connection in
            try connection.execute("CREATE TABLE t(a INTEGER); INSERT INTO t VALUES(1)")
            try connection.execute(
                """
                CREATE TRIGGER failing AFTER UPDATE ON t BEGIN
                DELETE FROM t WHERE a = (SELECT sum(n) FROM (SELECT \(Int64.max) n UNION ALL SELECT 1)); END
                """)
            try connection.begin()
            let (rows, writes) = (connection.totalChanges, connection.writeCount)
            #expect(throws: SQLiteError.self) { try connection.cached("UPDATE t SET a = 2").run() }
            let left = try connection.prepare("SELECT a FROM t")
            #expect(try left.step() && left.int64(0) == 2)
            #expect(connection.totalChanges == rows && connection.writeCount > writes)
        }
    }

    @Test func `a rule that is broken is told of, unless it ended the transaction`() throws {
        try withDatabase { connection in
            try connection.execute("CREATE TABLE t(a INTEGER UNIQUE)")
            let insert = try connection.prepare("INSERT INTO t VALUES(1)")
            #expect(try insert.runUnlessForbidden() == nil)
            try connection.begin()
            #expect(try insert.runUnlessForbidden()?.message.contains("t.a") ?? false)
            #expect(!connection.isAutocommit)
            let last = try connection.prepare("INSERT OR ROLLBACK INTO t VALUES(1)")
            #expect(throws: SQLiteError.self) { try last.runUnlessForbidden() }
            #expect(connection.isAutocommit)
        }
    }

    @Test func `a second writer is busy and sees the first one's data version`() throws {
        try withDatabase { first in
            let second = try SQLiteConnection(path: first.path, mode: .readWrite)
            let version = try second.dataVersion()
            try first.begin()
            #expect(throws: SQLiteError.busy(path: first.path)) { try second.begin() }
            try first.insert("a")
            try first.commit()
            #expect(try second.dataVersion() != version)
        }
    }

    @Test func `a read transaction that went stale says so`() throws {
        try withDatabase { first in
            let second = try SQLiteConnection(path: first.path, mode: .readWrite)
            try second.begin(.deferred)
            _ = try second.count()
            try first.insert("a")
            #expect(throws: SQLiteError.staleSnapshot(path: first.path)) { try second.insert("b") }
            try second.rollback()
        }
    }

    @Test func `a reader cannot write`() throws {
        try withDatabase { writer in
            let reader = try SQLiteConnection(path: writer.path, mode: .readOnly)
            #expect(reader.isReadOnly && !writer.isReadOnly)
            #expect(throws: SQLiteError.readOnly(path: writer.path, extendedCode: 8)) {
                try reader.insert("a")
            }
        }
    }

    @Test func `a checkpoint counts the frames it moved`() throws {
        try withDatabase { connection in
            try connection.disableCheckpointOnClose()
            try connection.setAutomaticCheckpoint(frames: 0)
            try connection.insert("a")
            let passive = try connection.checkpoint(mode: .passive)
            #expect(passive.walFrames > 0 && passive.walFrames == passive.checkpointedFrames)
            let truncated = try connection.checkpoint(mode: .truncate)
            #expect(truncated.walFrames == 0 && truncated.checkpointedFrames == 0)
        }
    }

    @Test func `names that are not paths are refused`() {
        for path in ["", "file:x?mode=memory", "a\0b"] {
            #expect(throws: SQLiteError.self) { try SQLiteConnection(path: path) }
        }
    }

    @Test func `a path through a descriptor that nobody keeps open is refused`() {
        let path = "/proc/self/fd/0/a.sqlite"
        let refusal = SQLiteError.cannotOpen(
            path: path, systemError: 0, message: "its folder is not open in this process")
        #expect(throws: refusal) { try SQLiteConnection(path: path) }
    }

    @Test func `a file of something else is not a database`() throws {
        try withFolder { folder in
            let path = folder + "/text"
            let file = unsafe fopen(path, "w")
            unsafe fputs(String(repeating: "no database ", count: 100), file)
            unsafe fclose(file)
            #expect(throws: SQLiteError.notADatabase(path: path)) {
                try SQLiteConnection(path: path).execute("SELECT * FROM sqlite_schema")
            }
        }
    }

    @Test func `the connection is hardened`() throws {
        try withDatabase { connection in
            #expect(throws: SQLiteError.self) { try connection.execute("ATTACH ':memory:' AS other") }
            #expect(try connection.pragma("trusted_schema") == "0")
            #expect(try connection.pragma("cell_size_check") == "1")
            _ = try connection.pragma("writable_schema", "1")
            #expect(throws: SQLiteError.self) { try connection.execute("DELETE FROM sqlite_schema") }
            #expect(throws: SQLiteError.self) { try connection.execute("SELECT load_extension('x')") }
            #expect(throws: SQLiteError.self) { try connection.pragma("user_version=7; DROP TABLE note") }
        }
    }

    @Test func `a value past the limit is too big`() throws {
        try withFolder { folder in
            var options = SQLiteConnection.Options()
            options.maximumValueBytes = 10_000
            let connection = try SQLiteConnection(path: folder + "/a.sqlite", options: options)
            let select = try connection.prepare("SELECT ?1")
            #expect(throws: SQLiteError.tooBig) {
                try select.bind([UInt8](repeating: 0, count: 10_001), at: 1)
            }
        }
    }

    @Test func `a copy by backup and a copy by vacuum hold equal rows`() throws {
        try withDatabase { connection in
            for value in 0..<1_000 { try connection.insert("note \(value)") }
            let copy = try SQLiteConnection(path: connection.path + ".copy")
            var steps = 0
            try connection.backup(to: copy, pagesPerStep: 1) { _, _ in
                steps += 1
                return true
            }
            #expect(steps > 2)
            #expect(try copy.count() == 1_000)
            #expect(throws: SQLiteError.interrupted) {
                try connection.backup(to: copy, pagesPerStep: 1) { _, _ in false }
            }
            try connection.vacuum(into: connection.path + ".small")
            #expect(try SQLiteConnection(path: connection.path + ".small").count() == 1_000)
            try connection.execute("DELETE FROM note WHERE id > 10")
            try connection.vacuum()
            #expect(try connection.count() == 10)
            #expect(throws: SQLiteError.self) { try connection.execute("ATTACH ':memory:' AS other") }
        }
    }

    @Test func `a link is refused by our files only`() throws {
        try withFolder { folder in
            let (path, link) = (folder + "/a.sqlite", folder + "/link.sqlite")
            try SQLiteConnection(path: path).execute("CREATE TABLE a(b)")
            unsafe symlink(path, link)
            try SQLiteConnection(path: link).execute("SELECT * FROM a")
            let error = #expect(throws: SQLiteError.self) {
                try SQLiteConnection(path: link, vfs: SQLiteVFS()).execute("SELECT * FROM a")
            }
            guard case .cannotOpen(link, ELOOP, _) = error else {
                Issue.record("not refused as a link: \(String(describing: error))")
                return
            }
        }
    }

    /// A folder's descriptor, closed with its last owner.
    private final class OpenFolder: Sendable {
        let descriptor: Int32

        init(_ path: String) { descriptor = unsafe open(path, O_RDONLY | O_DIRECTORY) }
        deinit { close(descriptor) }
    }

    /// Connects to `a.sqlite`, of which only the connection keeps the folder open.
    private func connection(through folder: String) throws -> SQLiteConnection {
        let keeper = OpenFolder(folder)
        let path = "/proc/self/fd/\(keeper.descriptor)/a.sqlite"
        return try SQLiteConnection(path: path, keeping: keeper, vfs: SQLiteVFS())
    }

    @Test func `a file is reached through the descriptor of its folder, until it is closed`() throws {
        try withFolder { folder in
            var connection: SQLiteConnection? = try connection(through: folder)
            // The folder that is opened next gets a number that is free.
            let other = folder + "/other"
            unsafe mkdir(other, 0o700)
            let next = OpenFolder(other)
            unsafe fclose(fopen(other + "/a.sqlite-wal", "w"))
            #expect(try connection?.pragma("journal_mode", "wal") == "wal")
            try connection?.execute("CREATE TABLE a(b); INSERT INTO a VALUES(1)")
            #expect(unsafe access(folder + "/a.sqlite-wal", F_OK) == 0)

            connection = nil
            #expect(unsafe access(folder + "/a.sqlite-wal", F_OK) != 0)
            #expect(unsafe access(other + "/a.sqlite-wal", F_OK) == 0)
            withExtendedLifetime(next) {}
        }
    }

    @Test func `a sealed file is read with its WAL and nothing is written`() throws {
        try withDatabase { writer in
            try writer.disableCheckpointOnClose()
            try writer.insert("in the WAL")
            let copy = writer.path + ".copy"
            try writer.checkpoint(mode: .truncate)
            try writer.insert("in the next WAL")
            try duplicate(writer.path, copy)
            try duplicate(writer.path + "-wal", copy + "-wal")
            #expect(
                try SQLiteConnection(path: copy, mode: .readOnly, vfs: SQLiteVFS(isSealed: true)).count() == 2
            )
            unsafe unlink(copy + "-wal")
            let sealed = try SQLiteConnection(path: copy, mode: .readOnly, vfs: SQLiteVFS(isSealed: true))
            #expect(try sealed.count() == 1)
            #expect(throws: SQLiteError.self) { try sealed.insert("no") }
            #expect(unsafe access(copy + "-shm", F_OK) != 0 && access(copy + "-wal", F_OK) != 0)
        }
    }

    private func duplicate(_ source: String, _ target: String) throws {
        let (from, to) = unsafe (open(source, O_RDONLY), open(target, O_WRONLY | O_CREAT, 0o600))
        defer {
            close(from)
            close(to)
        }
        let copied = sendfile(to, from, nil, 1 << 30)
        try #require(copied > 0)
    }
}
