internal import CofferModel

extension PredicateCompiler {
    /// A function of the format language, as far as SQL or a function of ours has it.
    func function(_ name: String, _ arguments: [QueryExpression]) throws(QueryError) -> QueryOperand {
        guard let function = QueryFunction(name: name), function.argumentCount == arguments.count else {
            throw .unknownFunction(name, argumentCount: arguments.count)
        }
        if function.isOfCollection { return try collected(function, arguments) }
        var operands: [QueryOperand] = []
        for argument in arguments { operands.append(try operand(argument)) }
        if let (name, type) = Self.textFunctions[function] {
            try check(operands[0], is: .text, for: function)
            return .scalar("\(name)(\(try value(operands[0])))", type)
        }
        switch function {
        case .now: return .scalar("\(QueryParameter(source: .now))", .date)
        case .cast: return try cast(operands[0], operands[1])
        case .noIndex: return try withoutIndex(operands[0])
        case .valueForKeyPath: return try property(operands[0], arguments[1])
        case .year, .month, .day, .hour, .minute, .second, .weekday:
            return try part(function, operands[0])
        default: return try arithmetic(function, operands)
        }
    }

    private static let textFunctions: [QueryFunction: (SQLFragment, AttributeType)] = [
        .uppercase: ("COFFER_UPPER", .string), .lowercase: ("COFFER_LOWER", .string),
        .canonical: ("COFFER_CANONICAL", .string), .length: ("COFFER_LENGTH", .integer64),
        .characterCount: ("COFFER_CHARACTERS", .integer64),
    ]

    /// The sign hides a column from the choice of an index, and changes nothing else: all is bound as it is
    /// stored.
    private func withoutIndex(_ operand: QueryOperand) throws(QueryError) -> QueryOperand {
        switch operand {
        case .scalar(let text, let type): .scalar("+\(text)", type)
        case .object(let place):
            .object(ReachedObject(scope: place.scope, entity: place.entity, key: "+\(place.key)"))
        case .constant, .list, .elements, .many: operand
        }
    }

    private func property(_ operand: QueryOperand, _ path: QueryExpression) throws(QueryError) -> QueryOperand
    {
        guard let keys = path.constantKeys else { throw .invalidOperand("a key path is a fixed text") }
        guard case .object(let place) = operand else {
            if let key = TextKey(only: keys) { return try asked(key, of: operand) }
            throw .invalidOperand("only an object has the key path '\(keys.joined(separator: "."))'")
        }
        return try reach(keys, from: place)
    }

    /// A part of a date in UTC; whole seconds are taken first, since SQLite rounds to milliseconds.
    private func part(_ function: QueryFunction, _ operand: QueryOperand) throws(QueryError) -> QueryOperand {
        try check(operand, is: .date, for: function)
        let letters: [QueryFunction: SQLFragment] = [
            .year: "%Y", .month: "%m", .day: "%d", .hour: "%H", .minute: "%M", .second: "%S", .weekday: "%w",
        ]
        let time: SQLFragment = "floor(\(try value(operand)) + 978307200.0)"
        let text: SQLFragment = "strftime('\(letters[function] ?? "%s")', \(time), 'unixepoch')"
        let first: SQLFragment = function == .weekday ? " + 1" : ""
        let isKnown: SQLFragment = "\(time) BETWEEN -62167219200 AND 253402300799"
        return .scalar("CASE WHEN \(isKnown) THEN CAST(\(text) AS INTEGER)\(first) END", .integer64)
    }

    func check(
        _ operand: QueryOperand, is kind: QueryValueKind, for function: QueryFunction
    ) throws(QueryError) {
        guard operand.kind == nil || operand.kind == kind else {
            throw .invalidOperand("the function '\(function.rawValue)' needs \(kind.rawValue)")
        }
    }
}

// MARK: - Arithmetic

extension PredicateCompiler {
    private static let signs: [QueryFunction: SQLFragment] = [
        .add: "+", .subtract: "-", .multiply: "*", .divide: "/", .bitwiseAnd: "&", .bitwiseOr: "|",
        .leftShift: "<<", .rightShift: ">>",
    ]

    private static let numberFunctions: [QueryFunction: SQLFragment] = [
        .squareRoot: "sqrt", .logarithm: "log10", .naturalLogarithm: "ln", .exponential: "exp",
        .floor: "floor", .ceiling: "ceil", .truncate: "trunc",
    ]

    private func arithmetic(
        _ function: QueryFunction, _ operands: [QueryOperand]
    ) throws(QueryError) -> QueryOperand {
        var numbers: [SQLFragment] = []
        for operand in operands { numbers.append(try number(operand)) }
        let type = Self.type(of: function, operands)
        let (a, b) = (numbers[0], numbers[numbers.count - 1])
        if let sign = Self.signs[function] { return .scalar("(\(a) \(sign) \(b))", type) }
        if let name = Self.numberFunctions[function] { return .scalar("\(name)(\(a))", type) }
        switch function {
        case .modulus where type == .integer64: return .scalar("(\(a) % \(b))", type)
        // The sign makes integers of both.
        case .modulus:
            let areIntegers: SQLFragment = "typeof(\(a)) = 'integer' AND typeof(\(b)) = 'integer'"
            return .scalar("CASE WHEN \(areIntegers) THEN \(a) % \(b) ELSE mod(\(a), \(b)) END", type)
        // The least integer has no counterpart, and SQLite gives up there.
        case .absolute:
            return .scalar(
                "CASE WHEN \(a) = -9223372036854775807 - 1 THEN -(\(a) + 0.0) ELSE abs(\(a)) END", type)
        case .raise: return .scalar("pow(\(a), \(b))", type)
        case .onesComplement: return .scalar("(~\(a))", type)
        case .bitwiseXor: return .scalar("((\(a) | \(b)) - (\(a) & \(b)))", type)
        default:
            throw .invalidOperand(
                "the function '\(function.rawValue)' is not available: compute its value first")
        }
    }

    /// A number as memory computes with it: a whole decimal may be stored as an integer, but divides as a
    /// decimal.
    func number(_ operand: QueryOperand) throws(QueryError) -> SQLFragment {
        if let kind = operand.kind, kind != .number, kind != .date {
            throw .invalidOperand("\(kind.rawValue) stands where a number is needed")
        }
        let value = try value(operand)
        guard case .scalar(_, .decimal) = operand else { return value }
        return "CAST(\(value) AS REAL)"
    }

    /// The type of the result; `nil` if it differs from row to row.
    private static func type(of function: QueryFunction, _ operands: [QueryOperand]) -> AttributeType? {
        switch function {
        case .bitwiseAnd, .bitwiseOr, .bitwiseXor, .leftShift, .rightShift, .onesComplement: return .integer64
        case .squareRoot, .logarithm, .naturalLogarithm, .exponential, .raise: return .double
        default:
            if operands.contains(where: { $0.type == nil && !$0.isNull }) { return nil }
            let isInteger = operands.allSatisfy { $0.type?.integerRange != nil || $0.type == .boolean }
            return isInteger ? .integer64 : .double
        }
    }
}
