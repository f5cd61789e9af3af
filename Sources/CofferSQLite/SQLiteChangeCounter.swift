internal import CSQLite
internal import CSQLiteVFS

/// Counts the transactions of a file with a write-ahead log, whichever process writes them, without a call of
/// SQLite or the system.
///
/// Shared, unlike its connection, which stays open as long as this lives: it reads one number of the log's
/// shared index.
@safe package final class SQLiteChangeCounter: @unchecked Sendable {
    // Only kept alive: its file is open as long as it is.
    private let database: SQLiteDatabase
    // Of the C code, which reads it by atomics.
    private let file: UnsafeMutableRawPointer?

    /// The counter of the file that `connection` has open through a VFS of ours.
    package init(of connection: SQLiteConnection) {
        database = connection.database
        var file: UnsafeMutableRawPointer?
        let code = unsafe sqlite3_file_control(database.handle, "main", SQLITE_FCNTL_FILE_POINTER, &file)
        unsafe self.file = code == SQLITE_OK && database.vfs != nil ? file : nil
    }

    /// How many there were, from any beginning, around four billions back to 0; `nil` where nothing was read
    /// through the log yet.
    package var value: UInt32? {
        var value: UInt32 = 0
        return unsafe coffer_vfs_change_counter(file, &value) ? value : nil
    }
}
