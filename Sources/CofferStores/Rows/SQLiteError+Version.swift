internal import CofferSQLite

extension SQLiteError {
    /// The error for a file in which a row has a version that no request can name.
    static func unsound(version: Int64, of key: Int64, _ entity: String, path: String) -> SQLiteError {
        .corrupt(path: path, message: "the object \(key) of '\(entity)' has the version \(version)")
    }
}
