internal import CSQLite

/// Why libsqlite3 did not do what was asked.
///
/// After `full`, `io`, `interrupted` and `outOfMemory` the whole transaction may be gone, not only the
/// savepoint: `SQLiteConnection.isAutocommit` tells.
@nonexhaustive
package enum SQLiteError: Error, Equatable {
    /// Another connection holds a lock: try again, or wait longer.
    case busy(path: String)
    /// A read transaction cannot become a write transaction, since others wrote meanwhile: end it and
    /// begin again.
    case staleSnapshot(path: String)
    /// A statement of the same connection is in the way: reset it.
    case locked(message: String)
    /// No space is left, or the file may not grow: free some, then try again.
    case full(path: String)
    /// The file system failed: look at the disk. `systemError` is an `errno`, 0 if unknown.
    case io(path: String, extendedCode: Int32, systemError: Int32, message: String)
    /// A progress handler or `SQLiteInterruptHandle` stopped the statement.
    case interrupted
    /// No memory: give some back, then try again.
    case outOfMemory
    /// A row would break a rule of its table; the statement changed nothing.
    case constraint(extendedCode: Int32, message: String)
    /// The file's content makes no sense: check and repair, or restore it.
    case corrupt(path: String, message: String)
    /// The file holds something else than a database.
    case notADatabase(path: String)
    /// The file cannot be opened; `systemError` is an `errno` (ELOOP for a link), 0 if unknown.
    case cannotOpen(path: String, systemError: Int32, message: String)
    /// The file, its folder or the connection allows no writing.
    case readOnly(path: String, extendedCode: Int32)
    /// A text, blob, row or statement passes the connection's limits.
    case tooBig
    /// The caller broke a rule of this module.
    case misuse(message: String)
    /// Anything else; `sql` is the statement, empty if there was none.
    case failed(code: Int32, extendedCode: Int32, message: String, sql: String)
}

extension SQLiteError {
    /// The one place where result codes become errors.
    init(extendedCode code: Int32, systemError: Int32, message: String, path: String, sql: String) {
        self =
            switch code & 0xFF {
            case SQLITE_BUSY where code == CSQLite.SQLITE_BUSY | (2 << 8): .staleSnapshot(path: path)
            case SQLITE_BUSY: .busy(path: path)
            case SQLITE_LOCKED: .locked(message: message)
            case SQLITE_FULL: .full(path: path)
            case SQLITE_IOERR where code == SQLITE_IOERR | (12 << 8): .outOfMemory
            case SQLITE_IOERR:
                .io(path: path, extendedCode: code, systemError: systemError, message: message)
            case SQLITE_INTERRUPT: .interrupted
            case SQLITE_NOMEM: .outOfMemory
            case SQLITE_CONSTRAINT: .constraint(extendedCode: code, message: message)
            case SQLITE_CORRUPT: .corrupt(path: path, message: Self.withoutSQL(message))
            // All SQL is ours, and asks for what a file that fits its model has.
            case SQLITE_ERROR where Self.isOfLack(message):
                .corrupt(path: path, message: "it lacks a table or column of its model")
            case SQLITE_ERROR where message.hasPrefix(Self.malformedSchema):
                .corrupt(path: path, message: Self.withoutSQL(message))
            case SQLITE_NOTADB: .notADatabase(path: path)
            case SQLITE_CANTOPEN: .cannotOpen(path: path, systemError: systemError, message: message)
            case SQLITE_READONLY: .readOnly(path: path, extendedCode: code)
            case SQLITE_TOOBIG: .tooBig
            case SQLITE_MISUSE, SQLITE_RANGE: .misuse(message: message)
            default: .failed(code: code & 0xFF, extendedCode: code, message: message, sql: sql)
            }
    }

    /// How messages begin about a schema that cannot be read.
    private static let malformedSchema = "malformed database schema"

    /// Whether a message says that a file has no such table or column.
    private static func isOfLack(_ message: String) -> Bool {
        message.hasPrefix("no such table") || message.hasPrefix("no such column")
            || message.hasPrefix("table ") && message.contains(" has no column named ")
    }

    /// A message about a schema without what the schema says: `malformed database schema (NAME)`.
    private static func withoutSQL(_ message: String) -> String {
        guard message.hasPrefix(malformedSchema), let end = message.firstRange(of: ") - ") else {
            return message
        }
        return message[..<end.lowerBound] + ")"
    }

    /// Whether the file cannot be read as it is: a process was stopped while it wrote, which only a
    /// connection that may write can undo.
    package var needsRollback: Bool {
        if case .readOnly(_, CSQLite.SQLITE_READONLY | (3 << 8)) = self { true } else { false }
    }

    /// Whether repeating the work later may succeed.
    package var isTransient: Bool {
        switch self {
        case .busy, .staleSnapshot, .locked, .full, .interrupted, .outOfMemory: true
        case .io, .constraint, .corrupt, .notADatabase, .cannotOpen, .readOnly, .tooBig, .misuse,
            .failed:
            false
        }
    }
}
