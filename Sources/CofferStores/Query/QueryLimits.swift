extension Limits {
    /// Tables of one query: SQLite joins at most 64.
    static let joins = 60
    /// Elements of an `IN {…}` that are bound one by one; more become one JSON text if their kind allows.
    static let plainListElements = 16
    /// Elements of an `IN {…}` that cannot be JSON: SQLite as Debian builds it binds at most 250,000 values.
    static let boundListElements = 65_536
    /// Elements of a list that is a select of its own: SQLite takes at most 500 parts of a UNION.
    static let rowListElements = 400
    /// Compiled queries that a reader keeps; each takes some kilobytes.
    static let cachedQueries = 64
    /// Bytes of room that a compiled query keeps for its next answer: enough for a few rows, and little for
    /// all queries together.
    static let keptRowBytes = 4_096
    /// Patterns of LIKE and MATCHES that a reader keeps ready.
    static let cachedPatterns = 64
    /// Instructions of SQLite between two questions whether to go on: some tens of microseconds.
    static let progressInstructions = 2_000
    /// Instructions between two questions if one instruction may make a value of `unknownValueBytes`: some
    /// tens of milliseconds then.
    static let unknownInstructions = 16
}
