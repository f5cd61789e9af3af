internal import CSQLite

/// What SQLite asks while it works, kept alive by the connection.
final class ProgressHandler {
    let shouldStop: () -> Bool

    init(_ shouldStop: @escaping () -> Bool) { self.shouldStop = shouldStop }
}

/// What SQLite asks while it compiles, kept alive by the connection.
final class Authorizer {
    let allows: (SQLiteAction) -> Bool

    init(_ allows: @escaping (SQLiteAction) -> Bool) { self.allows = allows }
}

/// One thing that a statement would do, as SQLite tells while it compiles.
package struct SQLiteAction: Sendable {
    /// SQLite's number for it, such as 21 for SELECT and 31 for a function.
    package let code: Int
    /// What it is about, most often a table.
    package let subject: String?
    /// More of it: a column, a function's name.
    package let detail: String?
    /// The schema, such as `main`.
    package let schema: String?
    /// The innermost trigger or view that asks for it; `nil` for the statement itself.
    package let source: String?
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

    /// Frames in the log after this connection's last commit; 0 where nothing was committed since
    /// `watchLog()`.
    package var logFrames: Int { database.logFrames }

    /// Asks `allows` about each thing that a statement would do, while it is compiled; `false` throws
    /// `notAuthorized`.
    ///
    /// `allows` must not use the connection.
    package func setAuthorizer(_ allows: ((SQLiteAction) -> Bool)?) throws(SQLiteError) {
        guard let allows else {
            try database.check(unsafe sqlite3_set_authorizer(database.handle, nil, nil))
            database.authorizer = nil
            return
        }
        let authorizer = Authorizer(allows)
        let code = unsafe sqlite3_set_authorizer(
            database.handle,
            { context, code, subject, detail, schema, source in
                guard let context = unsafe context else { return SQLITE_DENY }
                let action = SQLiteAction(
                    code: Int(code), subject: unsafe subject.map { unsafe String(cString: $0) },
                    detail: unsafe detail.map { unsafe String(cString: $0) },
                    schema: unsafe schema.map { unsafe String(cString: $0) },
                    source: unsafe source.map { unsafe String(cString: $0) })
                return unsafe Unmanaged<Authorizer>.fromOpaque(context).takeUnretainedValue().allows(action)
                    ? SQLITE_OK : SQLITE_DENY
            }, Unmanaged.passUnretained(authorizer).toOpaque())
        database.authorizer = authorizer
        try database.check(code)
    }
}
