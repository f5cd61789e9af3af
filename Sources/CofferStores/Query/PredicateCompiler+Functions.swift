internal import CofferModel

extension PredicateCompiler {
    /// A function of the format language, as far as SQL or a function of ours has it.
    func function(_ name: String, _ arguments: [QueryExpression]) throws(QueryError) -> QueryOperand {
        guard let function = QueryFunction(name: name), function.argumentCount == arguments.count else {
            throw .unknownFunction(name, argumentCount: arguments.count)
        }
        var operands: [QueryOperand] = []
        for argument in arguments { operands.append(try operand(argument)) }
        if function == .cast { return try cast(operands[0], operands[1]) }
        if function == .now { return .scalar("\(QueryParameter(source: .now))", .date) }
        if operands.count == 1, case .many(let scope, let element) = operands[0] {
            return try collected(function, scope, element)
        }
        if let sign = Self.signs[function] { return try arithmetic(function, operands, sign) }
        if let name = Self.numberFunctions[function] {
            return .scalar("\(name)(\(try number(operands[0])))", Self.type(of: function, operands))
        }
        if let (name, type) = Self.textFunctions[function] {
            try check(operands[0], is: .text, for: function)
            return .scalar("\(name)(\(try value(operands[0])))", type)
        }
        switch function {
        case .raise: return .scalar("pow(\(try number(operands[0])), \(try number(operands[1])))", .double)
        case .onesComplement: return .scalar("(~\(try number(operands[0])))", .integer64)
        case .bitwiseXor:
            let (a, b) = (try number(operands[0]), try number(operands[1]))
            return .scalar("((\(a) | \(b)) - (\(a) & \(b)))", .integer64)
        default: throw .invalidOperand("the function '\(name)' is not available in a store")
        }
    }

    private static let signs: [QueryFunction: SQLFragment] = [
        .add: "+", .subtract: "-", .multiply: "*", .divide: "/", .modulus: "%", .bitwiseAnd: "&",
        .bitwiseOr: "|",
        .leftShift: "<<", .rightShift: ">>",
    ]

    private static let numberFunctions: [QueryFunction: SQLFragment] = [
        .squareRoot: "sqrt", .logarithm: "log10", .naturalLogarithm: "ln", .exponential: "exp",
        .floor: "floor",
        .ceiling: "ceil", .absolute: "abs", .truncate: "trunc",
    ]

    private static let textFunctions: [QueryFunction: (SQLFragment, AttributeType)] = [
        .uppercase: ("COFFER_UPPER", .string), .lowercase: ("COFFER_LOWER", .string),
        .canonical: ("COFFER_CANONICAL", .string), .length: ("COFFER_LENGTH", .integer64),
    ]

    /// `sum(amounts)`, which means `amounts` with a collection operator.
    private func collected(
        _ function: QueryFunction, _ scope: QueryScope, _ element: QueryOperand
    ) throws(QueryError) -> QueryOperand {
        let collectionOperator: CollectionOperator
        switch function {
        case .count: collectionOperator = .count
        case .sum: collectionOperator = .sum
        case .min: collectionOperator = .min
        case .max: collectionOperator = .max
        case .average: collectionOperator = .average
        default: throw .invalidOperand("the function '\(function.rawValue)' is not available in a store")
        }
        return try aggregate(collectionOperator, scope, element)
    }

    private func arithmetic(
        _ function: QueryFunction, _ operands: [QueryOperand], _ sign: SQLFragment
    ) throws(QueryError) -> QueryOperand {
        let (a, b) = (try number(operands[0]), try number(operands[1]))
        let type = Self.type(of: function, operands)
        switch function {
        // A whole number may be stored as an integer whatever its type.
        case .divide where type == .double: return .scalar("(CAST(\(a) AS REAL) / \(b))", type)
        // The sign makes integers of both.
        case .modulus where type == .double: return .scalar("mod(\(a), \(b))", type)
        default: return .scalar("(\(a) \(sign) \(b))", type)
        }
    }

    private func cast(_ operand: QueryOperand, _ type: QueryOperand) throws(QueryError) -> QueryOperand {
        guard case .constant(_, let name) = type, let cast = name.textValue.flatMap(QueryCast.init(name:))
        else {
            throw .invalidOperand("there is no type to cast to")
        }
        let type = cast.attributeType
        if case .constant(let number, _) = operand {
            return .scalar("\(QueryParameter(source: .constant(number), form: .cast(cast)))", type)
        }
        let isSame = operand.kind == QueryValueKind(type)
        let isTime = operand.kind == .number && type == .date || operand.kind == .date && type == .double
        guard isSame || isTime else {
            throw .invalidOperand("CAST to \(cast.rawValue) is not available in a store")
        }
        return .scalar(try value(operand), type)
    }

    private func number(_ operand: QueryOperand) throws(QueryError) -> SQLFragment {
        if let kind = operand.kind, kind != .number, kind != .date {
            throw .invalidOperand("\(kind.rawValue) stands where a number is needed")
        }
        return try value(operand)
    }

    private func check(
        _ operand: QueryOperand, is kind: QueryValueKind, for function: QueryFunction
    ) throws(QueryError) {
        guard operand.kind == nil || operand.kind == kind else {
            throw .invalidOperand("the function '\(function.rawValue)' needs \(kind.rawValue)")
        }
    }

    private static func type(of function: QueryFunction, _ operands: [QueryOperand]) -> AttributeType {
        switch function {
        case .bitwiseAnd, .bitwiseOr, .leftShift, .rightShift: return .integer64
        case .squareRoot, .logarithm, .naturalLogarithm, .exponential: return .double
        default:
            let isInteger = operands.allSatisfy { $0.type?.integerRange != nil || $0.type == .boolean }
            return isInteger ? .integer64 : .double
        }
    }
}

extension QueryCast {
    /// The type of what it gives.
    fileprivate var attributeType: AttributeType {
        switch self {
        case .date: .date
        case .uuid: .uuid
        case .uri: .uri
        case .decimal: .decimal
        case .binary: .binary
        case .transformable: .transformable
        case .string: .string
        case .float: .float
        case .double, .number: .double
        }
    }
}
