internal import CSQLite
internal import Synchronization

/// The C object of one connection, which lives as long as the connection and all of its statements.
///
/// Confined like them. It keeps alive what SQLite calls back into.
@safe final class SQLiteDatabase {
    let handle: OpaquePointer
    /// What errors call the file.
    let path: String
    let interruptHandle: SQLiteInterruptHandle
    let vfs: SQLiteVFS?
    /// What the path leads through: let go once the file is closed.
    private let folder: (any AnyObject & Sendable)?
    var progressHandler: ProgressHandler?
    /// What is told of statements; `nil` while nothing is.
    var tracer: StatementTracer?
    /// How many statements failed that write.
    var failedWrites = 0
    /// Frames in the log after the last commit, if the log is watched.
    var logFrames = 0

    init(
        path: String, name: String, keeping folder: (any AnyObject & Sendable)?, flags: Int32, vfs: SQLiteVFS?
    ) throws(SQLiteError) {
        guard SQLiteLibrary.setUpCode == SQLITE_OK || SQLiteLibrary.setUpCode == SQLITE_MISUSE else {
            throw .outOfMemory
        }
        try Self.check(path: path)
        if folder == nil, path.hasPrefix("/proc/self/fd/") {
            throw .cannotOpen(path: path, systemError: 0, message: "its folder is not open in this process")
        }
        var handle: OpaquePointer?
        let code = unsafe sqlite3_open_v2(path, &handle, flags, vfs?.name)
        guard let opened = unsafe handle else { throw .outOfMemory }
        guard code == SQLITE_OK else {
            let error = unsafe Self.error(code, on: opened, path: name, sql: "")
            unsafe sqlite3_close_v2(opened)
            throw error
        }
        unsafe self.handle = opened
        self.path = name
        self.vfs = vfs
        self.folder = folder
        interruptHandle = unsafe SQLiteInterruptHandle(opened)
    }

    deinit {
        interruptHandle.close()
        unsafe sqlite3_close_v2(handle)
    }

    /// Refuses names that SQLite would read as something else than a path.
    static func check(path: String) throws(SQLiteError) {
        guard !path.isEmpty, !path.utf8.contains(0), !path.hasPrefix("file:") else {
            throw .cannotOpen(path: path, systemError: 0, message: "not a path")
        }
    }

    /// The error that `code`, just returned by a call on this connection, stands for.
    func error(_ code: Int32, sql: String = "") -> SQLiteError {
        unsafe Self.error(code, on: handle, path: path, sql: sql)
    }

    /// Throws if `code` is not `SQLITE_OK`.
    @inline(__always)
    func check(_ code: Int32) throws(SQLiteError) {
        guard code == SQLITE_OK else { throw error(code) }
    }

    private static func error(
        _ code: Int32, on handle: OpaquePointer, path: String, sql: String
    ) -> SQLiteError {
        // The connection remembers only its last call; if that was another one, the message comes from the
        // code alone.
        let own = unsafe sqlite3_extended_errcode(handle)
        let matches = own & 0xFF == code & 0xFF
        let message =
            unsafe matches ? String(cString: sqlite3_errmsg(handle)) : String(cString: sqlite3_errstr(code))
        let systemError = unsafe sqlite3_system_errno(handle)
        return SQLiteError(
            extendedCode: matches ? own : code, systemError: systemError, message: message, path: path,
            sql: sql)
    }
}

/// Stops what a connection runs, from any thread.
///
/// Shared: the lock keeps the connection open while it is told. Never for the connection that writes, since
/// SQLite then ends its whole transaction.
package final class SQLiteInterruptHandle: Sendable {
    private let address: Mutex<UInt>

    init(_ handle: OpaquePointer) {
        address = Mutex(UInt(bitPattern: handle))
    }

    /// Makes running statements throw `interrupted`; does nothing once the connection is closed.
    package func interrupt() {
        address.withLock { address in
            guard let handle = unsafe OpaquePointer(bitPattern: address) else { return }
            unsafe sqlite3_interrupt(handle)
        }
    }

    func close() {
        address.withLock { $0 = 0 }
    }
}
