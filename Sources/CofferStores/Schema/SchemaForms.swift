/// Distinguishes tables, indexes and triggers that take a bounded time from those that may make SQLite do
/// anything.
///
/// A schema is a program: a trigger may count without end, and a CHECK or an index over an expression may
/// make gigabytes of one row. What has one of the forms here, which are those of Core Data and ours, does at
/// most one pass over a table for each row of another.
package enum SchemaForms {
    /// Words that texts of a bounded form do not need, and unbounded ones do: unions and joins, patterns that
    /// backtrack, and computed columns.
    private static let refused: Set<String> = [
        "WITH", "RECURSIVE", "JOIN", "UNION", "INTERSECT", "EXCEPT", "LIKE", "GLOB", "MATCH", "REGEXP",
        "OVER", "GENERATED", "CHECK", "RAISE", "RETURNING",
    ]

    /// Words before a parenthesis that are not calls.
    private static let plain: Set<String> = [
        "AND", "OR", "NOT", "IN", "WHEN", "WHERE", "VALUES", "KEY", "UNIQUE", "IS", "SET", "SELECT", "THEN",
        "ELSE", "BETWEEN", "USING",
    ]

    /// Functions whose results are at most as large as their arguments.
    private static let functions: Set<String> = {
        let own = [
            "IFNULL", "COALESCE", "NULLIF", "COUNT", "SUM", "TOTAL", "AVG", "MIN", "MAX", "ABS", "ROUND",
        ]
        return Set(own + DerivedFunction.allCases.map { $0.rawValue.uppercased() })
    }()

    /// Whether a table's rows are what is written into them, and no more.
    static func isBoundedTable(_ sql: String) -> Bool {
        guard let tokens = SQLTokens(sql).all else { return false }
        if tokens.count > 1, tokens[1].word == "VIRTUAL" { return isBoundedModule(tokens) }
        for (index, token) in tokens.enumerated() {
            guard let word = token.word else { continue }
            // 'AS (…)' is short for a generated column; an expression as a default stands in parentheses.
            if refused.contains(word) || word == "AS" { return false }
            if word == "DEFAULT", tokens.dropFirst(index + 1).first?.isSign("(") ?? true { return false }
        }
        return true
    }

    /// Whether a virtual table is an r-tree, or a full-text index that stores its texts itself.
    private static func isBoundedModule(_ tokens: [SQLTokens.Token]) -> Bool {
        guard let using = tokens.firstIndex(of: .word("USING")), using + 1 < tokens.count else {
            return false
        }
        switch tokens[using + 1].name {
        case "RTREE": return true
        case "FTS5": return !tokens.contains { $0.name?.hasPrefix("CONTENT") ?? false }
        default: return false
        }
    }

    /// Whether an index is on columns, and its condition, if any, only compares columns.
    static func isBoundedIndex(_ sql: String) -> Bool {
        guard let tokens = SQLTokens(sql).all, let on = tokens.firstIndex(of: .word("ON")),
            on + 2 < tokens.count, tokens[on + 1].name != nil, tokens[on + 2].isSign("(")
        else { return false }
        let rest = tokens[(on + 2)...]
        return !rest.contains { $0.word == "SELECT" } && isBounded(rest, functions: [])
    }

    /// Whether a trigger only changes rows by simple conditions on single tables.
    package static func isBoundedTrigger(_ sql: String) -> Bool {
        guard let tokens = SQLTokens(sql).all, let begin = tokens.firstIndex(of: .word("BEGIN")),
            tokens.last?.word == "END", tokens.starts(with: [.word("CREATE"), .word("TRIGGER")]),
            !tokens[..<begin].contains(where: { $0.word == "INSTEAD" || $0.word == "SELECT" })
        else { return false }
        let body = tokens[(begin + 1)..<(tokens.count - 1)]
        let statements = body.split(whereSeparator: { $0.isSign(";") })
        return statements.allSatisfy(isBoundedStatement) && isBounded(tokens[2...], functions: functions)
    }

    /// Whether a statement reads at most one table besides the one that it writes, each in one place.
    private static func isBoundedStatement(_ tokens: ArraySlice<SQLTokens.Token>) -> Bool {
        guard let first = tokens.first?.word,
            ["UPDATE", "INSERT", "DELETE", "SELECT", "REPLACE"].contains(first)
        else { return false }
        guard tokens.count(where: { $0.word == "SELECT" }) <= 2 else { return false }
        for (index, token) in zip(tokens.indices, tokens) where token.word == "FROM" {
            let behind = tokens[(index + 1)...]
            guard behind.first?.name != nil else { return false }
            guard let next = behind.dropFirst().first else { continue }
            guard next.word == "WHERE" || next.isSign(")") else { return false }
        }
        return true
    }

    /// Whether `tokens` call only `functions`, concatenate no texts, and contain no refused word.
    private static func isBounded(_ tokens: ArraySlice<SQLTokens.Token>, functions: Set<String>) -> Bool {
        var before: SQLTokens.Token?
        var beforeThat: SQLTokens.Token?
        for token in tokens {
            if let word = token.word, refused.contains(word) { return false }
            if token.isSign("|") && before?.isSign("|") ?? false { return false }
            if token.isSign(">") && before?.isSign("-") ?? false { return false }  // Reads JSON.
            if token.isSign("("), let name = before?.name {
                let isTable = beforeThat?.word == "INTO" || beforeThat?.word == "ON"
                guard isTable || functions.contains(name) || before?.word.map(plain.contains) ?? false else {
                    return false
                }
            }
            (beforeThat, before) = (before, token)
        }
        return true
    }
}
