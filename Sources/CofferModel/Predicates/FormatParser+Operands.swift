import FoundationEssentials

extension FormatParser {
    /// Reads what stands between operators: a value, a key path, a call, a group, or a prefix operator with its operand.
    mutating func operand() throws(QueryError) -> Parsed {
        let start = offset
        var result = try plainOperand()
        while case .sign(let sign) = token, sign == "." || sign == "[" {
            result = try sign == "." ? keyPathTail(of: result, at: start) : element(of: result, at: start)
        }
        return result
    }

    /// The constructs that hold others; all else is a `leaf`.
    private enum Construct {
        case leaf
        case group
        case collection
        case negation
        case plus
        case minus
        case any
        case all
        case none
        case subquery
        case conditional
        case cast
        case function
        case call
    }

    /// Decides only, so that the frames of what nests stay small.
    private mutating func plainOperand() throws(QueryError) -> Parsed {
        switch construct {
        case .leaf: try leaf()
        case .group: try group()
        case .collection: try collection()
        case .negation: try negation()
        case .plus: try plus()
        case .minus: try minus()
        case .any: try modifiedComparison(.any)
        case .all: try modifiedComparison(.all)
        case .none: try modifiedComparison(.none)
        case .subquery: try subquery()
        case .conditional: try conditional()
        case .cast: try cast()
        case .function: try functionCall()
        case .call: try call()
        }
    }

    private var construct: Construct {
        switch token {
        case .sign(let sign): Self.signs[sign] ?? .leaf
        case .word(let word):
            Self.words[word.uppercased()]
                ?? (FormatToken.reservedWords.contains(word.uppercased()) || !lexer.isBeforeParenthesis
                    ? .leaf : .call)
        case .key, .variable, .text, .integer, .double, .placeholder, .end: .leaf
        }
    }

    private static let signs: [String: Construct] = [
        "(": .group, "{": .collection, "!": .negation, "+": .plus, "-": .minus,
    ]
    private static let words: [String: Construct] = [
        "NOT": .negation, "ANY": .any, "SOME": .any, "ALL": .all, "NONE": .none, "SUBQUERY": .subquery,
        "TERNARY": .conditional, "CAST": .cast, "FUNCTION": .function,
    ]

    private mutating func leaf() throws(QueryError) -> Parsed {
        let start = offset
        switch token {
        case .text(let text): return try constant(.string(text))
        case .integer, .double: return try constant(try number(isNegative: false))
        case .variable(let name):
            try advance()
            return Parsed(.expression(.variable(name, keyPath: [])), at: start)
        case .key(let key):
            try advance()
            return Parsed(.expression(.keyPath([key])), at: start)
        case .placeholder(let kind): return try placeholder(kind)
        case .word(let word): return try self.word(word)
        case .sign, .end: throw failure(expected: "a value or key path")
        }
    }

    private mutating func constant(_ value: AttributeValue) throws(QueryError) -> Parsed {
        let start = offset
        try advance()
        return Parsed(.expression(.constant(value)), at: start)
    }

    private func number(isNegative: Bool) throws(QueryError) -> AttributeValue {
        switch token {
        case .double(let value): return .double(isNegative ? -value : value)
        case .integer(let magnitude):
            if !isNegative, let value = Int64(exactly: magnitude) { return .integer(value) }
            if isNegative, magnitude <= Int64.min.magnitude {
                return .integer(magnitude == Int64.min.magnitude ? .min : -Int64(magnitude))
            }
            throw failure(expected: "an integer of at most 64 bits with its sign")
        default: throw failure(expected: "a number")
        }
    }
}

// MARK: - Signs and words

extension FormatParser {
    private mutating func group() throws(QueryError) -> Parsed {
        try advance()
        let inner = try parse(.or)
        try expect(")")
        return inner
    }

    private mutating func collection() throws(QueryError) -> Parsed {
        let start = offset
        try advance()
        let elements = try list(closedBy: "}")
        return try made(.expression(.collection(try expressions(elements))), ofAll: elements, at: start)
    }

    private mutating func negation() throws(QueryError) -> Parsed {
        let start = offset
        try advance()
        let inner = try parse(.not)
        return try made(.predicate(.not(try predicate(inner))), of: inner, at: start)
    }

    private mutating func plus() throws(QueryError) -> Parsed {
        try advance()
        return try parse(.sign)
    }

    private mutating func minus() throws(QueryError) -> Parsed {
        let start = offset
        try advance()
        switch token {
        case .integer, .double: return try constant(try number(isNegative: true))
        default: break
        }
        return try difference(of: try parse(.sign), at: start)
    }

    /// What is left of zero: formats know no sign of its own for it.
    private func difference(of inner: Parsed, at start: Int) throws(QueryError) -> Parsed {
        let operands: [QueryExpression] = [.constant(.integer(0)), try expression(inner)]
        return try made(
            .expression(.function(QueryFunction.subtract.rawValue, operands)), of: inner, at: start)
    }

    /// A word that stands for a value, or a key path's first key.
    private mutating func word(_ word: String) throws(QueryError) -> Parsed {
        let start = offset
        let node: Node
        switch word.uppercased() {
        case "TRUEPREDICATE": node = .predicate(.always(true))
        case "FALSEPREDICATE": node = .predicate(.always(false))
        case "TRUE", "YES": node = .expression(.constant(.boolean(true)))
        case "FALSE", "NO": node = .expression(.constant(.boolean(false)))
        case "NULL", "NIL": node = .expression(.constant(.null))
        case "SELF": node = .expression(.evaluatedObject)
        case let keyword where FormatToken.reservedWords.contains(keyword):
            throw failure(expected: "a value or key path (write #\(word) for a key of that name)")
        default:
            guard !word.contains(":") else { throw failure(expected: "'(' after a function's name") }
            node = .expression(.keyPath([word]))
        }
        try advance()
        return Parsed(node, at: start)
    }

    private mutating func call() throws(QueryError) -> Parsed {
        guard case .word(let name) = token else { throw failure(expected: "a function's name") }
        let start = offset
        try advance()
        try expect("(")
        return try function(name, try list(closedBy: ")"), at: start)
    }
}

// MARK: - Key paths and placeholders

extension FormatParser {
    /// What follows a dot.
    private mutating func keyPathTail(of parsed: Parsed, at start: Int) throws(QueryError) -> Parsed {
        let place = offset
        try advance()
        var keys: [String] = []
        switch token {
        case .word(let word) where !word.contains(":"): keys = [word]
        case .key(let key): keys = [key]
        case .placeholder("K"): keys = try keyPathArgument()
        default: throw failure(expected: "a key after the dot")
        }
        let base = try expression(parsed)
        guard let longer = base.appending(keys) else {
            throw lexer.failure(
                at: place, expected: "no key path here: only key paths, variables and SUBQUERY have one")
        }
        guard longer.keyCount <= Limits.keyPathLength else {
            throw .tooComplex("a key path has more than \(Limits.keyPathLength) keys")
        }
        try advance()
        return Parsed(.expression(longer), depth: parsed.depth, at: start)
    }

    /// `[index]`, `[FIRST]`, `[LAST]` or `[SIZE]` behind a collection.
    private mutating func element(of parsed: Parsed, at start: Int) throws(QueryError) -> Parsed {
        let base = try expression(parsed)
        try advance()
        let known: [String: QueryFunction] = ["FIRST": .first, "LAST": .last, "SIZE": .count]
        if let function = token.keyword.flatMap({ known[$0] }) {
            try advance()
            try expect("]")
            return try made(.expression(.function(function.rawValue, [base])), of: parsed, at: start)
        }
        let index = try parse(.sum)
        try expect("]")
        let call = QueryExpression.function(QueryFunction.element.rawValue, [base, try expression(index)])
        return try made(.expression(call), of: parsed, index, at: start)
    }

    private mutating func keyPathArgument() throws(QueryError) -> [String] {
        let place = lexer.place(offset)
        guard case .constant(.string(let keyPath)) = try nextArgument("the text of a key path"),
            !keyPath.isEmpty
        else { throw .argument(at: place, expected: "the text of a key path") }
        let keys = keyPath.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard keys.allSatisfy({ !$0.isEmpty }), keys.count <= Limits.keyPathLength else {
            throw .argument(at: place, expected: "keys joined by dots, at most \(Limits.keyPathLength)")
        }
        return keys
    }

    private mutating func placeholder(_ kind: Character) throws(QueryError) -> Parsed {
        let start = offset
        let place = lexer.place(offset)
        let expression: QueryExpression
        switch kind {
        case "K": expression = QueryExpression(keys: try keyPathArgument())
        case "@": expression = try nextArgument("a value")
        default:
            let expected = kind == "f" ? "a number" : kind == "c" ? "a character or its code" : "an integer"
            let argument = try nextArgument(expected)
            guard let value = argument.constantValue?.filling(kind) else {
                throw .argument(at: place, expected: expected)
            }
            expression = .constant(value)
        }
        try advance()
        guard expression.depth <= Limits.predicateDepth else { throw tooDeep }
        return Parsed(.expression(expression), depth: expression.depth, at: start)
    }
}

extension QueryExpression {
    /// The key path of an argument of `%K`: `SELF`, `$variable` and what follows them have their meaning there too.
    fileprivate init(keys: [String]) {
        let rest = Array(keys.dropFirst())
        if let first = keys.first, first.hasPrefix("$"), first.count > 1 {
            self = .variable(String(first.dropFirst()), keyPath: rest)
        } else if keys.first?.uppercased() == "SELF" {
            self = rest.isEmpty ? .evaluatedObject : .keyPath(rest)
        } else {
            self = .keyPath(keys)
        }
    }

    /// The expression with more keys behind it; `nil` where it has no place for them.
    fileprivate func appending(_ keys: [String]) -> QueryExpression? {
        switch self {
        case .evaluatedObject: .keyPath(keys)
        case .keyPath(let path): .keyPath(path + keys)
        case .variable(let name, let path): .variable(name, keyPath: path + keys)
        case .subquery(let collection, let variable, let predicate, let path):
            .subquery(collection: collection, variable: variable, predicate: predicate, keyPath: path + keys)
        case .constant, .collection, .function, .conditional: nil
        }
    }

    fileprivate var keyCount: Int {
        switch self {
        case .keyPath(let path), .variable(_, let path), .subquery(_, _, _, let path): path.count
        case .evaluatedObject, .constant, .collection, .function, .conditional: 0
        }
    }

    /// The value of a constant.
    var constantValue: AttributeValue? {
        if case .constant(let value) = self { value } else { nil }
    }
}

extension AttributeValue {
    /// The value that a placeholder of a kind makes of an argument; `nil` where it does not take it.
    fileprivate func filling(_ placeholder: Character) -> AttributeValue? {
        switch (placeholder, self) {
        case ("d", .integer), ("f", .double), ("f", .float), ("f", .decimal), ("c", .integer): self
        case ("d", .boolean(let value)): .integer(value ? 1 : 0)
        case ("f", .integer(let value)): .double(Double(value))
        case ("c", .string(let text)) where text.count == 1: self
        default: nil
        }
    }
}
