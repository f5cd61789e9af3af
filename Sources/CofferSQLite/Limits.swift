/// Bounds on what a caller can make this module hold or do, with reasons.
enum Limits {
    /// Longest text, blob or row in bytes; the limit of libsqlite3 as Debian builds it.
    static let valueBytes = 1_000_000_000

    /// Longest SQL text in bytes; a fetch with the largest list of ids that a request may carry stays below.
    static let statementBytes: Int32 = 16 << 20

    /// Triggers within triggers; Core Data's go one deep.
    static let triggerDepth: Int32 = 100

    /// Statements that a connection keeps compiled; each takes a few kilobytes.
    static let cachedStatements = 256

    /// Longest bound value whose buffer a statement keeps for the next row; a longer one is lent to SQLite's
    /// copy.
    static let keptBindingBytes = 4_096

    /// Plans of statements that a trace keeps; it forgets all of them past that.
    static let tracedPlans = 256

    /// Problems that an integrity check reports before it stops.
    static let integrityProblems = 100

    /// Milliseconds between two tries of a backup while the file is locked.
    static let backupRetryMilliseconds: Int32 = 10

    /// Times a backup tries again while the file is locked.
    static let backupRetries = 500
}
