/// What SQLite did for one run of a statement, told when the run is over.
///
/// It holds no value of anybody's rows: of what was bound it knows kinds and lengths.
package struct SQLiteExecution: Sendable, Equatable {
    /// The statement, with its parameters as they stand in it.
    package var sql: String
    /// How long it ran, from its first step to its last row or its end.
    package var duration: Duration
    /// Rows that it answered.
    package var rows: Int
    /// Rows that it changed, those of triggers not counted; 0 for one that only reads.
    package var changes: Int
    /// How often in a row the same statement ran; the other figures are sums, and the bindings those of the
    /// first run.
    package var runs = 1
    /// What was bound to each parameter; `nil` where that was not asked for, or is too long to look at.
    package var bindings: [SQLiteBinding]?
    /// SQLite's plan, a line for each step; empty where that was not asked for, or there is none.
    package var plan: [String] = []
}

/// What was bound to a parameter: its kind, never its value.
package struct SQLiteBinding: Sendable, Equatable, CustomStringConvertible {
    /// A kind of value, with the bytes of one whose length differs.
    package enum Kind: Sendable, Equatable {
        case null
        case integer
        case real
        case text(byteCount: Int)
        case blob(byteCount: Int)
    }

    /// The parameter, as it stands in the statement.
    package var parameter: String
    /// What kind of value it has.
    package var kind: Kind

    package var description: String {
        switch kind {
        case .null: "\(parameter) null"
        case .integer: "\(parameter) integer"
        case .real: "\(parameter) real"
        case .text(let count): "\(parameter) text of \(count)"
        case .blob(let count): "\(parameter) blob of \(count)"
        }
    }
}

/// How much is told of each run of a statement.
package enum SQLiteTraceDetail: Int, Sendable, Comparable {
    /// Text, time and rows.
    case statements = 1
    /// The kinds of what was bound, too.
    case bindings = 2
    /// SQLite's plan, too.
    case plans = 3

    package static func < (one: Self, other: Self) -> Bool { one.rawValue < other.rawValue }
}
