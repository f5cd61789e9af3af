internal import CofferSQLite

/// One run of a statement, or several of the same statement in a row, for people who read logs.
package struct SQLDebugEntry: Sendable {
    /// The store's file.
    package var path: String
    /// The statement, with its parameters as they stand in it.
    package var sql: String
    /// How long it ran, in milliseconds with three digits after the point.
    package var milliseconds: String
    /// Rows that it answered.
    package var rows: Int
    /// Rows that it changed.
    package var changes: Int
    /// How often it ran; the figures are sums.
    package var runs: Int
    /// SQLite's plan, a line for each step; empty if that is not told.
    package var plan: [String]

    init(path: String, _ execution: SQLiteExecution) {
        self.path = path
        sql = execution.sql
        milliseconds = Self.milliseconds(execution.duration)
        rows = execution.rows
        changes = execution.changes
        runs = execution.runs
        plan = execution.plan
    }

    /// All of it: a line for the statement, indented ones for the rest.
    package var text: String {
        var text = "\(path): \(sql)\n    \(milliseconds) ms, \(rows) rows"
        if changes > 0 { text += ", \(changes) changed" }
        if runs > 1 { text += ", \(runs) runs" }
        for step in plan { text += "\n    plan: " + step }
        return text
    }

    private static func milliseconds(_ duration: Duration) -> String {
        let microseconds = Int((duration / .microseconds(1)).rounded())
        let rest = String(microseconds % 1_000)
        return "\(microseconds / 1_000)." + String(repeating: "0", count: 3 - rest.count) + rest
    }
}
