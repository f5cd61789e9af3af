internal import CSQLite

/// What SQLite asks while it works, kept alive by the connection.
final class ProgressHandler {
    let shouldStop: () -> Bool

    init(_ shouldStop: @escaping () -> Bool) { self.shouldStop = shouldStop }
}

extension SQLiteConnection {
    /// Asks `body` about each so many instructions of a statement whether to stop it with `interrupted`.
    ///
    /// Never on a connection that writes, except to test that loss: SQLite then ends its whole transaction.
    /// `body` must not use the connection.
    package func setProgressHandler(everyInstructions count: Int, _ body: (() -> Bool)?) {
        guard let body else {
            unsafe sqlite3_progress_handler(database.handle, 0, nil, nil)
            database.progressHandler = nil
            return
        }
        let handler = ProgressHandler(body)
        unsafe sqlite3_progress_handler(
            database.handle, Int32(clamping: max(1, count)),
            { context in
                guard let context = unsafe context else { return 0 }
                return unsafe Unmanaged<ProgressHandler>.fromOpaque(context).takeUnretainedValue()
                    .shouldStop()
                    ? 1 : 0
            }, Unmanaged.passUnretained(handler).toOpaque())
        database.progressHandler = handler  // Only now may the old one go.
    }

    /// Counts the frames of the log from now on, for `logFrames`; nothing checkpoints by itself then.
    package func watchLog() {
        unsafe sqlite3_wal_hook(
            database.handle,
            { context, _, _, frames in
                guard let context = unsafe context else { return SQLITE_OK }
                unsafe Unmanaged<SQLiteDatabase>.fromOpaque(context).takeUnretainedValue().logFrames = Int(
                    frames)
                return SQLITE_OK
            }, Unmanaged.passUnretained(database).toOpaque())
    }

    /// Frames in the log after this connection's last commit; 0 if nothing was committed since
    /// `watchLog()`.
    package var logFrames: Int { database.logFrames }
}
