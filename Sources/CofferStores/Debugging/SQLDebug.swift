internal import CofferSQLite
internal import Synchronization

/// Whether, and how much, is told of the SQL that stores run: Core Data's `-com.apple.CoreData.SQLDebug`.
///
/// Level 1 tells each statement with its time and rows; 2 also SQLite's plan. Values are told at no level,
/// unlike in Core Data, whose level 3 prints them: a person who reads a log may not be allowed to read the
/// store.
///
/// Shared by all stores; it may change while they are open, and each connection follows when it is used next.
/// Off, it costs a fetch or a commit one relaxed load.
package final class SQLDebug: Sendable {
    /// The most detailed level.
    package static let highestLevel = 2

    private let current: Atomic<Int>
    private let report: @Sendable (SQLDebugEntry) -> Void

    /// Tells `report` as much as `level` says; it is called by the thread that runs the SQL.
    package init(level: Int, report: @escaping @Sendable (SQLDebugEntry) -> Void) {
        current = Atomic(Self.clamped(level))
        self.report = report
    }

    /// 0 for nothing, to `highestLevel`; what is set beyond them is the nearest of them.
    package var level: Int {
        get { current.load(ordering: .relaxed) }
        set { current.store(Self.clamped(newValue), ordering: .relaxed) }
    }

    private static func clamped(_ level: Int) -> Int { min(max(0, level), highestLevel) }
}

/// What one connection tells, confined with it.
struct SQLDebugFollower {
    private let debug: SQLDebug?
    private let path: String
    private var level = 0

    init(_ debug: SQLDebug?, path: String) {
        self.debug = debug
        self.path = path
    }

    /// Makes the connection tell as much as is asked for now.
    @inline(__always)
    mutating func follow(on connection: SQLiteConnection) {
        guard let debug, debug.level != level else { return }
        change(debug, connection)
    }

    @inline(never)
    private mutating func change(_ debug: SQLDebug, _ connection: SQLiteConnection) {
        level = debug.level
        guard level > 0 else { return connection.trace(nil) }
        connection.trace(withPlans: level > 1) { [path] in debug.tell($0, path) }
    }
}

extension SQLDebug {
    fileprivate func tell(_ execution: SQLiteExecution, _ path: String) {
        report(SQLDebugEntry(path: path, execution))
    }
}
