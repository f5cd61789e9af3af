import FoundationEssentials

extension FormatParser {
    /// Expressions between commas, from behind the opening bracket on.
    mutating func list(closedBy close: String) throws(QueryError) -> [Parsed] {
        var elements: [Parsed] = []
        if try skip(close) { return [] }
        repeat {
            elements.append(try parse(.sum))
        } while try skip(",")
        guard try skip(close) else { throw failure(expected: "',' or '\(close)'") }
        return elements
    }

    func expressions(_ elements: [Parsed]) throws(QueryError) -> [QueryExpression] {
        var result: [QueryExpression] = []
        result.reserveCapacity(elements.count)
        for element in elements { result.append(try expression(element)) }
        return result
    }

    /// A call of the function named `name`.
    func function(_ name: String, _ arguments: [Parsed], at start: Int) throws(QueryError) -> Parsed {
        guard let function = QueryFunction(name: name) else {
            throw lexer.failure(at: start, expected: "a known function, not '\(name)'")
        }
        guard function.argumentCount == arguments.count else {
            throw lexer.failure(
                at: start, expected: "\(function.argumentCount) arguments for '\(function.rawValue)'")
        }
        return try made(
            .expression(.function(function.rawValue, try expressions(arguments))), ofAll: arguments, at: start
        )
    }

    /// `FUNCTION(operand, 'name', arguments…)`.
    mutating func functionCall() throws(QueryError) -> Parsed {
        let start = offset
        try advance()
        try expect("(")
        return try functionCall(try list(closedBy: ")"), at: start)
    }

    private func functionCall(_ parts: [Parsed], at start: Int) throws(QueryError) -> Parsed {
        var elements = parts
        guard elements.count >= 2, case .constant(.string(let name)) = try expression(elements[1]) else {
            throw lexer.failure(at: start, expected: "FUNCTION(operand, 'name', arguments…)")
        }
        elements.remove(at: 1)
        guard let count = QueryFunctions.argumentCount(of: name) else {
            if takesCallsOfVariables, QueryFunction(name: name) == nil,
                case .variable(_, keyPath: []) = try expression(elements[0])
            {
                return try made(
                    .expression(.function(name, try expressions(elements))), ofAll: elements, at: start)
            }
            return try function(name, elements, at: start)
        }
        guard elements.count == count else {
            throw lexer.failure(at: start, expected: "\(count - 1) arguments behind '\(name)'")
        }
        return try made(.expression(.function(name, try expressions(elements))), ofAll: elements, at: start)
    }

    /// `SUBQUERY(collection, $variable, predicate)`.
    mutating func subquery() throws(QueryError) -> Parsed {
        let start = offset
        try advance()
        try expect("(")
        let collection = try parse(.sum)
        try expect(",")
        guard case .variable(let variable) = token else { throw failure(expected: "a variable such as $x") }
        try advance()
        try expect(",")
        let filter = try parse(.or)
        try expect(")")
        return try subquery(collection, variable: variable, where: filter, at: start)
    }

    private func subquery(
        _ collection: Parsed, variable: String, where filter: Parsed, at start: Int
    ) throws(QueryError) -> Parsed {
        let node = QueryExpression.subquery(
            collection: try expression(collection), variable: variable, predicate: try predicate(filter),
            keyPath: [])
        return try made(.expression(node), of: collection, filter, at: start)
    }

    /// `TERNARY(predicate, then, otherwise)`.
    mutating func conditional() throws(QueryError) -> Parsed {
        let start = offset
        try advance()
        try expect("(")
        let condition = try parse(.or)
        try expect(",")
        let first = try parse(.sum)
        try expect(",")
        let second = try parse(.sum)
        try expect(")")
        return try conditional(condition, then: first, otherwise: second, at: start)
    }

    private func conditional(
        _ condition: Parsed, then first: Parsed, otherwise second: Parsed, at start: Int
    ) throws(QueryError) -> Parsed {
        let node = QueryExpression.conditional(
            try predicate(condition), then: try expression(first), otherwise: try expression(second))
        return try made(.expression(node), of: condition, first, second, at: start)
    }

    /// `CAST(value, 'type')`: a constant of a type that has no notation of its own, else a call of
    /// `castObject:toType:`.
    mutating func cast() throws(QueryError) -> Parsed {
        let start = offset
        try advance()
        try expect("(")
        return try cast(try list(closedBy: ")"), at: start)
    }

    private func cast(_ elements: [Parsed], at start: Int) throws(QueryError) -> Parsed {
        guard elements.count == 2, case .constant(.string(let name)) = try expression(elements[1]),
            let type = QueryCast(name: name)
        else {
            throw lexer.failure(
                at: start, expected: "CAST(value, 'type') with a type such as NSDate or NSUUID")
        }
        let value = try expression(elements[0])
        guard let constant = value.constantValue else {
            return try function("castObject:toType:", elements, at: start)
        }
        guard let result = type.cast(constant) else {
            throw lexer.failure(at: elements[0].offset, expected: "a constant that can be cast to \(name)")
        }
        return Parsed(.expression(.constant(result)), at: start)
    }
}
