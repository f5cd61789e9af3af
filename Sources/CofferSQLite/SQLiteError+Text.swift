extension SQLiteError: CustomStringConvertible {
    /// What went wrong, in a sentence without its full stop.
    package var description: String {
        switch self {
        case .busy(let path): "'\(path)' is locked by another connection"
        case .staleSnapshot(let path): "'\(path)' was written since it was read"
        case .locked(let message): "a statement of the same connection is in the way: \(message)"
        case .full(let path): "the disk of '\(path)' is full, or the file may not grow"
        case .io(let path, let code, _, let message):
            "'\(path)' cannot be read or written: \(message) (\(code))"
        case .interrupted: "it was interrupted"
        case .outOfMemory: "memory ran out"
        case .constraint(let code, let message): "a rule of a table forbids it: \(message) (\(code))"
        case .corrupt(let path, let message): "'\(path)' is damaged: \(message)"
        case .notADatabase(let path): "'\(path)' is not a database"
        case .cannotOpen(let path, _, let message): "'\(path)' cannot be opened: \(message)"
        case .readOnly(let path, let code): "'\(path)' can only be read (\(code))"
        case .tooBig: "a text, a blob, a row or a statement is too large"
        case .misuse(let message): message
        case .failed(_, let code, let message, let sql):
            sql.isEmpty ? "\(message) (\(code))" : "\(message) (\(code)), at: \(sql)"
        }
    }
}
