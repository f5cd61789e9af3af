extension FormatParser {
    /// What follows a dot.
    mutating func keyPathTail(of parsed: Parsed, at start: Int) throws(QueryError) -> Parsed {
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
                at: place,
                expected: "no key path here: only key paths, variables, SUBQUERY and calls have one")
        }
        guard longer.keyCount <= Limits.keyPathLength else {
            throw .tooComplex("a key path has more than \(Limits.keyPathLength) keys")
        }
        try advance()
        guard longer.depth <= Limits.predicateDepth else { throw tooDeep }
        return Parsed(.expression(longer), depth: max(parsed.depth, longer.depth), at: start)
    }

    /// `[index]`, `[FIRST]`, `[LAST]` or `[SIZE]` behind a collection.
    mutating func element(of parsed: Parsed, at start: Int) throws(QueryError) -> Parsed {
        let base = try expression(parsed)
        try advance()
        let known: [String: QueryFunction] = ["FIRST": .first, "LAST": .last, "SIZE": .count]
        // Only alone: a longer index may begin with a property of that name.
        if let function = token.keyword.flatMap({ known[$0] }), lexer.isFollowed(by: "]") {
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

    /// An argument.
    mutating func placeholder(_ kind: Character) throws(QueryError) -> Parsed {
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
    /// The key path of an argument of `%K`: `SELF`, `$variable` and what follows them have their meaning
    /// there too.
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

    /// The expression with more keys behind it; `nil` if it has no place for them.
    fileprivate func appending(_ keys: [String]) -> QueryExpression? {
        switch self {
        case .evaluatedObject: .keyPath(keys)
        case .keyPath(let path): .keyPath(path + keys)
        case .variable(let name, let path): .variable(name, keyPath: path + keys)
        case .subquery(let collection, let variable, let predicate, let path):
            .subquery(collection: collection, variable: variable, predicate: predicate, keyPath: path + keys)
        case .function(QueryFunction.valueForKeyPath.rawValue, let parts) where parts.count == 2:
            parts[1].constantKeys.map { parts[0].value(forKeys: $0 + keys) }
        case .function, .conditional: value(forKeys: keys)
        case .constant, .collection: nil
        }
    }

    private func value(forKeys keys: [String]) -> QueryExpression {
        let path = QueryExpression.constant(.string(keys.joined(separator: ".")))
        return .function(QueryFunction.valueForKeyPath.rawValue, [self, path])
    }

    fileprivate var keyCount: Int {
        switch self {
        case .function(QueryFunction.valueForKeyPath.rawValue, let parts):
            parts.last?.constantKeys?.count ?? 0
        case .keyPath(let path), .variable(_, let path), .subquery(_, _, _, let path): path.count
        case .evaluatedObject, .constant, .collection, .function, .conditional: 0
        }
    }

    /// The keys of a key path that is a fixed text.
    package var constantKeys: [String]? {
        guard case .constant(.string(let path)) = self, !path.isEmpty else { return nil }
        return path.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    }

    /// The value of a constant.
    var constantValue: AttributeValue? {
        if case .constant(let value) = self { value } else { nil }
    }
}

extension AttributeValue {
    /// The value that a placeholder of a kind makes of an argument; `nil` if it does not take it.
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
