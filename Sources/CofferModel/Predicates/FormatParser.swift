/// Reads a predicate's format by precedence climbing.
///
/// A parenthesis may open a predicate or an expression, so both are one kind of node until an operator asks
/// for one of them: nothing is read twice, and the time is linear in the format.
struct FormatParser {
    /// What has been read.
    enum Node {
        case predicate(QueryPredicate)
        case expression(QueryExpression)
    }

    /// What has been read, how deeply it is nested, and the byte where it begins.
    struct Parsed {
        var node: Node
        var depth: Int
        var offset: Int

        init(_ node: Node, depth: Int = 1, at offset: Int) {
            self.node = node
            self.depth = depth
            self.offset = offset
        }
    }

    /// How tightly operators bind, loosest first.
    enum Binding: Int {
        case or
        case and
        case not
        case comparison
        case sum
        case product
        case power
        case sign
    }

    private(set) var lexer: FormatLexer
    private(set) var token: FormatToken = .end
    private(set) var offset = 0
    /// Where the comparisons and their right sides stand; `nil` if no caller needs to know.
    var notedComparisons: [(comparison: QueryComparison, left: Int, right: Int)]?
    /// Whether `FUNCTION($name, …)` may call what no predicate knows.
    var takesCallsOfVariables = false
    private var nesting = 0
    private var arguments: [any QueryArgument]
    private var usedArguments = 0

    init(_ format: String, _ arguments: [any QueryArgument]) throws(QueryError) {
        guard format.utf8.count <= Limits.predicateFormat else {
            throw .tooComplex(
                "the format has \(format.utf8.count) bytes, \(Limits.predicateFormat) are allowed")
        }
        lexer = FormatLexer(format)
        self.arguments = arguments
        try advance()
    }

    /// The predicate that the whole format is.
    mutating func wholePredicate(format: String) throws(QueryError) -> QueryPredicate {
        let parsed = try parse(.or)
        guard token == .end else { throw failure(expected: "AND, OR or the end") }
        try checkArguments(format: format)
        return try predicate(parsed)
    }

    /// The expression that the whole format is.
    mutating func wholeExpression(format: String) throws(QueryError) -> QueryExpression {
        let parsed = try parse(.sum)
        guard token == .end else { throw failure(expected: "an operator or the end") }
        try checkArguments(format: format)
        return try expression(parsed)
    }

    private func checkArguments(format: String) throws(QueryError) {
        guard usedArguments == arguments.count else {
            throw .surplusArguments(format: format, placeholders: usedArguments, arguments: arguments.count)
        }
    }
}

// MARK: - Tools

extension FormatParser {
    mutating func advance() throws(QueryError) {
        (token, offset) = try lexer.next()
    }

    func failure(expected: String) -> QueryError { lexer.failure(at: offset, expected: expected) }

    /// Whether the token was `sign`, and is now behind us.
    mutating func skip(_ sign: String) throws(QueryError) -> Bool {
        guard token == .sign(sign) else { return false }
        try advance()
        return true
    }

    mutating func expect(_ sign: String) throws(QueryError) {
        guard try skip(sign) else { throw failure(expected: "'\(sign)'") }
    }

    /// The next argument, for the placeholder at `offset`.
    mutating func nextArgument(_ expected: String) throws(QueryError) -> QueryExpression {
        guard usedArguments < arguments.count else {
            throw .argument(at: lexer.place(offset), expected: "\(expected), and is missing")
        }
        defer { usedArguments += 1 }
        return arguments[usedArguments].queryExpression
    }

    func predicate(_ parsed: Parsed) throws(QueryError) -> QueryPredicate {
        if case .predicate(let predicate) = parsed.node { return predicate }
        let isLast = token == .end || token == .sign(")")
        throw lexer.failure(
            at: isLast ? offset : parsed.offset, expected: isLast ? "a comparison operator" : "a comparison")
    }

    func expression(_ parsed: Parsed) throws(QueryError) -> QueryExpression {
        if case .expression(let expression) = parsed.node { return expression }
        throw lexer.failure(at: parsed.offset, expected: "a value, not a comparison")
    }

    /// A node over others.
    func made(_ node: Node, of parts: Parsed..., at offset: Int) throws(QueryError) -> Parsed {
        try made(node, ofAll: parts, at: offset)
    }

    func made(_ node: Node, ofAll parts: [Parsed], at offset: Int) throws(QueryError) -> Parsed {
        let depth = 1 + (parts.map(\.depth).max() ?? 0)
        guard depth <= Limits.predicateDepth else { throw tooDeep }
        return Parsed(node, depth: depth, at: offset)
    }

    var tooDeep: QueryError {
        .tooComplex(
            "it is nested more than \(Limits.predicateDepth) deep at character \(lexer.place(offset).offset)")
    }
}

// MARK: - Operators

extension FormatParser {
    /// Reads operators that bind at least as tightly as `minimum`, and their operands.
    mutating func parse(_ minimum: Binding) throws(QueryError) -> Parsed {
        nesting += 1
        defer { nesting -= 1 }
        guard nesting <= Limits.parserDepth else { throw tooDeep }
        var left = try operand()
        while true {
            if let kind = compound, kind.rawValue >= minimum.rawValue {
                left = try compound(kind, first: left)
            } else if let comparison = comparisonOperator, minimum.rawValue <= Binding.comparison.rawValue {
                left = try self.comparison(left, comparison, modifier: .direct)
            } else if let (function, binding) = arithmetic, binding.rawValue >= minimum.rawValue {
                left = try self.arithmetic(left, function, binding: binding)
            } else {
                return left
            }
        }
    }

    private var compound: Binding? {
        switch token {
        case .sign("&&"): .and
        case .sign("||"): .or
        default:
            switch token.keyword {
            case "AND": .and
            case "OR": .or
            default: nil
            }
        }
    }

    /// `a AND b AND c` is one node of three; groups in parentheses stay groups.
    private mutating func compound(_ kind: Binding, first: Parsed) throws(QueryError) -> Parsed {
        var deepest = first
        var predicates = [try predicate(first)]
        let tighter: Binding = kind == .or ? .and : .not
        while compound == kind {
            try advance()
            let next = try parse(tighter)
            predicates.append(try predicate(next))
            if next.depth > deepest.depth { deepest.depth = next.depth }
        }
        let node: QueryPredicate = kind == .or ? .or(predicates) : .and(predicates)
        return try made(.predicate(node), of: deepest, at: first.offset)
    }

    private var arithmetic: (QueryFunction, Binding)? {
        switch token {
        case .sign("+"): (.add, .sum)
        case .sign("-"): (.subtract, .sum)
        case .sign("*"): (.multiply, .product)
        case .sign("/"): (.divide, .product)
        case .sign("%"): (.modulus, .product)
        case .sign("**"): (.raise, .power)
        default: nil
        }
    }

    private mutating func arithmetic(
        _ left: Parsed, _ function: QueryFunction, binding: Binding
    ) throws(QueryError) -> Parsed {
        try advance()
        let right = try parse(Binding(rawValue: binding.rawValue + 1) ?? .sign)
        let operands = [try expression(left), try expression(right)]
        return try made(
            .expression(.function(function.rawValue, operands)), of: left, right, at: left.offset)
    }
}
