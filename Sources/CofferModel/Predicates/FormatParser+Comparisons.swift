extension FormatParser {
    /// The operator that the token is, if it is one.
    var comparisonOperator: QueryComparison.Operator? {
        switch token {
        case .sign(let sign): QueryComparison.Operator(spelling: sign)
        case .word(let word): QueryComparison.Operator(spelling: word.uppercased())
        default: nil
        }
    }

    /// `ANY left op right`, from behind the modifier on.
    mutating func modifiedComparison(
        _ modifier: QueryComparison.Modifier
    ) throws(QueryError) -> Parsed {
        let start = offset
        try advance()
        var left = try parse(.sum)
        left.offset = start
        guard let comparison = comparisonOperator else { throw failure(expected: "a comparison operator") }
        return try self.comparison(left, comparison, modifier: modifier)
    }

    /// `left op right`, from the operator on.
    mutating func comparison(
        _ left: Parsed, _ comparison: QueryComparison.Operator, modifier: QueryComparison.Modifier
    ) throws(QueryError) -> Parsed {
        try advance()
        let options = try options()
        let right = try parse(.sum)
        return try self.comparison(left, comparison, right, modifier: modifier, options: options)
    }

    private mutating func comparison(
        _ left: Parsed, _ comparison: QueryComparison.Operator, _ right: Parsed,
        modifier: QueryComparison.Modifier, options: QueryComparison.Options
    ) throws(QueryError) -> Parsed {
        let (leftSide, rightSide) = (try expression(left), try expression(right))
        if comparison == .between {
            switch rightSide {
            case .collection(let bounds) where bounds.count == 2: break
            case .collection, .constant:
                throw lexer.failure(at: right.offset, expected: "two values for BETWEEN, {low, high}")
            default: break
            }
        }
        guard comparisonOperator == nil else {
            throw failure(expected: "AND, OR or the end, since comparisons do not chain")
        }
        let result = QueryComparison(leftSide, comparison, rightSide, modifier: modifier, options: options)
        notedComparisons?.append((result, left.offset, right.offset))
        return try made(.predicate(.comparison(result)), of: left, right, at: left.offset)
    }

    private mutating func options() throws(QueryError) -> QueryComparison.Options {
        guard try skip("[") else { return [] }
        guard case .word(let letters) = token else { throw failure(expected: "options such as [cd]") }
        var options: QueryComparison.Options = []
        for letter in letters.lowercased() {
            switch letter {
            case "c": options.insert(.caseInsensitive)
            case "d": options.insert(.diacriticInsensitive)
            case "n": options.insert(.normalized)
            case "l": options.insert(.localeSensitive)
            default: throw failure(expected: "only the options c, d, n and l")
            }
        }
        try advance()
        try expect("]")
        return options
    }
}

extension FormatParser {
    /// The place of what `error` is about: the side of the comparison that it names.
    func place(of error: QueryError, in comparison: QueryComparison) -> FormatPlace? {
        // Of equal comparisons each is as wrong as the first.
        guard let noted = notedComparisons?.first(where: { $0.comparison == comparison }) else { return nil }
        let (left, right) = (comparison.left.format, comparison.right.format)
        let isRight =
            error.subject.map { $0 == right || (!left.contains($0) && right.contains($0)) } ?? false
        return lexer.place(isRight ? noted.right : noted.left)
    }
}

extension QueryError {
    /// The expression that does not fit, as formats write it; `nil` if none is named.
    fileprivate var subject: String? {
        switch self {
        case .unknownKey(_, let keyPath, _), .invalidKeyPath(let keyPath, _, _),
            .typeMismatch(let keyPath, _, _, _):
            keyPath
        case .unfilledVariable(let name): "$\(name)"
        case .invalidPattern(let pattern, _): QueryExpression.constant(.string(pattern)).format
        default: nil
        }
    }
}

extension QueryComparison.Operator {
    /// The canonical spelling.
    var spelling: String {
        switch self {
        case .equal: "=="
        case .notEqual: "!="
        case .less: "<"
        case .lessOrEqual: "<="
        case .greater: ">"
        case .greaterOrEqual: ">="
        case .between: "BETWEEN"
        case .in: "IN"
        case .contains: "CONTAINS"
        case .beginsWith: "BEGINSWITH"
        case .endsWith: "ENDSWITH"
        case .like: "LIKE"
        case .matches: "MATCHES"
        }
    }

    private static let bySpelling = Dictionary(uniqueKeysWithValues: allCases.map { ($0.spelling, $0) })

    /// The operator with a canonical spelling.
    init?(spelling: String) {
        guard let value = Self.bySpelling[spelling] else { return nil }
        self = value
    }
}
