import CofferLinux
import CofferSQLite
import Testing

@Suite struct StrangeFileTests {
    /// A way in which a connection meets what has the name of one of its files.
    enum Meeting: CaseIterable {
        case reading
        case readingSealed
        case writing
    }

    @Test(arguments: ["", "-journal", "-wal", "-shm"], Meeting.allCases)
    func `nobody waits for a FIFO that has the name of a file of a database`(
        suffix: String, meeting: Meeting
    ) throws {
        try withFolder { folder in
            let path = folder + "/notes.sqlite"
            do {
                let connection = try SQLiteConnection(path: path)
                if suffix != "-journal" { _ = try connection.pragma("journal_mode", "wal") }
                try connection.execute("CREATE TABLE note(id INTEGER PRIMARY KEY, value)")
            }
            if suffix.isEmpty { try Folder(at: folder).unlink("notes.sqlite") }
            #expect(try ChildProcess("mkfifo", arguments: [path + suffix]).waitForExit() == .code(0))
            let vfs = try SQLiteVFS(isSealed: meeting == .readingSealed)
            let isSound = meeting == .readingSealed && suffix == "-shm"
            do throws(SQLiteError) {
                let connection = try SQLiteConnection(
                    path: path, mode: meeting == .writing ? .readWrite : .readOnly, vfs: vfs)
                try connection.execute(
                    meeting == .writing ? "INSERT INTO note(value) VALUES (1)" : "SELECT * FROM note")
                #expect(isSound, "a sealed file has its index in memory")
            } catch {
                #expect(!isSound, "\(error)")
            }
        }
    }

    @Test func `SQLite still has random numbers, temporary files and folders to bring to the disk`() throws {
        try withDatabase(vfs: SQLiteVFS()) { connection in
            _ = try connection.pragma("temp_store", "FILE")
            try connection.execute("CREATE TEMP TABLE t AS SELECT randomblob(1000) AS b FROM (VALUES(1),(2))")
            let statement = try connection.prepare("SELECT count(DISTINCT b) FROM t")
            #expect(try statement.step() && statement.int64(0) == 2)
        }
    }
}
