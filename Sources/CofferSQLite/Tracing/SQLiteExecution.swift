/// What SQLite did for one run of a statement, told when the run is over.
///
/// It holds no value of any row.
package struct SQLiteExecution: Sendable, Equatable {
    /// The statement, with its parameters as they stand in it.
    package var sql: String
    /// How long it ran, from its first step to its last row or its end.
    package var duration: Duration
    /// Rows that it answered.
    package var rows: Int
    /// Rows that it changed, those of triggers not counted; 0 for one that only reads.
    package var changes: Int
    /// How often in a row the same statement ran; the other figures are sums.
    package var runs = 1
    /// SQLite's plan, a line for each step; empty if that was not asked for, or there is none.
    package var plan: [String] = []
}
