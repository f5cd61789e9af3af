internal import CSQLite
internal import CSQLiteVFS

/// Counts the transactions of a file, whichever process writes them.
///
/// Shared, unlike its connection, which stays open as long as this lives: it reads one number of the shared
/// index of the file's log, without a call of SQLite or the system; without a log, of the file's header.
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

    /// How many there were, from any beginning, around four billions back to 0; `nil` if nothing was read
    /// through the log yet, or the header cannot be read.
    package var value: UInt32? {
        var value: UInt32 = 0
        return unsafe coffer_vfs_change_counter(file, &value) ? value : nil
    }
}
