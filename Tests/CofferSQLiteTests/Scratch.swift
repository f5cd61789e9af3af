import CofferSQLite
import Glibc

/// A folder of its own for one test, gone after it.
func withFolder<Result>(_ body: (_ folder: String) throws -> Result) throws -> Result {
    var template = Array("/tmp/coffer-sqlite-XXXXXX".utf8CString)
    let folder: String? = unsafe template.withUnsafeMutableBufferPointer { template in
        guard let start = template.baseAddress, let made = unsafe mkdtemp(start) else { return nil }
        return unsafe String(cString: made)
    }
    guard let folder else { throw SQLiteError.misuse(message: "no folder for a test") }
    defer { removeFolder(folder) }
    return try body(folder)
}

/// A WAL database with one table `note(id INTEGER PRIMARY KEY, value)`, sound at the end.
func withDatabase<Result>(
    vfs: SQLiteVFS? = nil, _ body: (SQLiteConnection) throws -> Result
) throws -> Result {
    try withFolder { folder in
        let connection = try SQLiteConnection(path: folder + "/notes.sqlite", vfs: vfs)
        _ = try connection.pragma("journal_mode", "wal")
        _ = try connection.pragma("synchronous", "full")
        try connection.execute("CREATE TABLE note(id INTEGER PRIMARY KEY, value)")
        let result = try body(connection)
        let problems = try connection.integrityCheck()
        guard problems.isEmpty else {
            throw SQLiteError.corrupt(path: connection.path, message: problems.joined(separator: "; "))
        }
        return result
    }
}

extension SQLiteConnection {
    func count() throws -> Int64 {
        let statement = try prepare("SELECT count(*) FROM note")
        guard try statement.step() else { return -1 }
        return statement.int64(0)
    }

    func insert(_ value: String) throws {
        let statement = try cached("INSERT INTO note(value) VALUES(?1)")
        try statement.bind(value, at: 1)
        try statement.run()
    }
}

private func removeFolder(_ folder: String) {
    guard let directory = unsafe opendir(folder) else { return }
    while let entry = unsafe readdir(directory) {
        let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { name in
            unsafe String(cString: UnsafeRawPointer(name).assumingMemoryBound(to: CChar.self))
        }
        unsafe unlink(folder + "/" + name)
    }
    unsafe closedir(directory)
    unsafe rmdir(folder)
}
