/// One word or sign of a predicate's format.
enum FormatToken: Equatable {
    /// A name that may also be a keyword.
    case word(String)
    /// A name after `#`, never a keyword; or one that begins with `@`.
    case key(String)
    /// `$name`.
    case variable(String)
    /// Text in quotes, its escapes resolved.
    case text(String)
    /// A number without fraction; its sign is a token of its own.
    case integer(UInt64)
    /// A number with fraction or exponent.
    case double(Double)
    /// `%@` and so on, without the percent sign and length: `@`, `K`, `d`, `f`, `c`.
    case placeholder(Character)
    /// An operator, bracket or comma, in its canonical spelling.
    case sign(String)
    /// The end of the format.
    case end

    /// The keyword in capitals, if it is a word that may be one.
    var keyword: String? {
        if case .word(let word) = self { word.uppercased() } else { nil }
    }

    /// Words that a key path cannot begin with unless they are written with `#`.
    static let reservedWords: Set<String> = [
        "AND", "OR", "NOT", "ANY", "SOME", "ALL", "NONE", "IN", "CONTAINS", "BEGINSWITH", "ENDSWITH", "LIKE",
        "MATCHES", "BETWEEN", "TRUEPREDICATE", "FALSEPREDICATE", "TRUE", "FALSE", "YES", "NO", "NULL", "NIL",
        "SELF", "SUBQUERY", "TERNARY", "CAST", "FUNCTION",
    ]
}
