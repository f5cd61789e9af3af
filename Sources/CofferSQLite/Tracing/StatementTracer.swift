internal import CSQLite

/// Hears of each run of a connection's statements, kept alive by the connection while it does.
///
/// Confined with the connection. SQLite's own times are whole milliseconds, so it keeps the time itself.
final class StatementTracer {
    private struct Run {
        let begin: ContinuousClock.Instant
        /// What the connection had changed in all by then.
        let changes: Int64
        var lastRow: ContinuousClock.Instant?
        var rows = 0
    }

    private let withPlans: Bool
    private let receive: (SQLiteExecution) -> Void
    /// By the address of the statement, which names it and is never followed.
    private var runs: [UInt: Run] = [:]
    /// Writes of one statement one after another are told as one, when another statement is over.
    private var folded: SQLiteExecution?
    private var plans: [String: [String]] = [:]
    private var isExplaining = false

    init(withPlans: Bool, _ receive: @escaping (SQLiteExecution) -> Void) {
        self.withPlans = withPlans
        self.receive = receive
    }

    /// A statement begins; a trigger of one that runs is told so too.
    func began(_ statement: OpaquePointer) {
        let address = UInt(bitPattern: statement)
        if isExplaining || runs[address] != nil { return }
        let changes = unsafe sqlite3_total_changes64(sqlite3_db_handle(statement))
        runs[address] = Run(begin: .now, changes: changes)
    }

    /// A statement has come to a row.
    func answered(_ statement: OpaquePointer) {
        if isExplaining { return }
        let address = UInt(bitPattern: statement)
        runs[address]?.rows += 1
        runs[address]?.lastRow = .now
    }

    /// A statement is over, at its end or because it was left before.
    func ended(_ statement: OpaquePointer, on database: OpaquePointer) {
        guard !isExplaining, let run = runs.removeValue(forKey: UInt(bitPattern: statement)),
            let sql = unsafe sqlite3_sql(statement).map({ unsafe String(cString: $0) })
        else { return }
        // If it was left on a row, it has waited there for its reader.
        let wasLeft = unsafe sqlite3_stmt_busy(statement) != 0
        let end = wasLeft ? run.lastRow ?? .now : .now
        let isReadOnly = unsafe sqlite3_stmt_readonly(statement) != 0
        // SQLite's count, which leaves triggers out, stays that of the last statement that changes rows.
        let hasChanged = unsafe sqlite3_total_changes64(database) != run.changes
        let changes = isReadOnly || !hasChanged ? 0 : unsafe Int(sqlite3_changes64(database))
        if !isReadOnly, folded?.sql == sql {
            folded?.runs += 1
            folded?.rows += run.rows
            folded?.changes += changes
            folded?.duration += end - run.begin
            return
        }
        tellFolded()
        var execution = SQLiteExecution(sql: sql, duration: end - run.begin, rows: run.rows, changes: changes)
        if withPlans { execution.plan = unsafe plan(of: sql, database) }
        if isReadOnly { receive(execution) } else { folded = execution }
    }

    /// Tells what waits to see whether the same comes again.
    func tellFolded() {
        guard let execution = folded else { return }
        folded = nil
        receive(execution)
    }

    private func plan(of sql: String, _ database: OpaquePointer) -> [String] {
        if let known = plans[sql] { return known }
        isExplaining = true
        defer { isExplaining = false }
        var lines: [String] = []
        var statement: OpaquePointer?
        if unsafe sqlite3_prepare_v2(database, "EXPLAIN QUERY PLAN " + sql, -1, &statement, nil) == SQLITE_OK
        {
            while unsafe sqlite3_step(statement) == SQLITE_ROW {
                if let line = unsafe sqlite3_column_text(statement, 3) {
                    lines.append(unsafe String(cString: line))
                }
            }
        }
        unsafe sqlite3_finalize(statement)
        if plans.count >= Limits.tracedPlans { plans = [:] }
        plans[sql] = lines
        return lines
    }
}
