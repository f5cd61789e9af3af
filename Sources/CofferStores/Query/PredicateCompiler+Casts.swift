internal import CofferModel

extension PredicateCompiler {
    /// `CAST(value, 'type')`: constants when they are bound, all else by a function of ours that casts as
    /// memory does.
    func cast(_ operand: QueryOperand, _ type: QueryOperand) throws(QueryError) -> QueryOperand {
        guard case .constant(_, let name) = type, let cast = name.textValue.flatMap(QueryCast.init(name:))
        else {
            throw .invalidOperand("there is no type to cast to")
        }
        let type = cast.attributeType(of: operand.type)
        if case .constant(let number, _) = operand {
            return .scalar("\(QueryParameter(source: .constant(number), form: .cast(cast)))", type)
        }
        let value = try value(operand)
        if operand.kind == .object { throw .invalidOperand("an object is cast: cast one of its properties") }
        if let type, operand.type == type { return .scalar(value, type) }
        let isTime = operand.kind == .date && type == .double || operand.kind == .number && type == .date
        if isTime { return .scalar("(\(value) + 0.0)", type) }
        let target = QueryCast.allCases.firstIndex(of: cast) ?? 0
        let source = operand.type.flatMap { AttributeType.allCases.firstIndex(of: $0) } ?? -1
        return .scalar("COFFER_CAST(\(value), \(number: target), \(number: source))", type)
    }
}

extension QueryCast {
    /// The type of what it makes of a value; `nil` if that differs from row to row.
    fileprivate func attributeType(of source: AttributeType?) -> AttributeType? {
        switch self {
        case .date: .date
        case .uuid: .uuid
        case .uri: .uri
        case .decimal: .decimal
        case .binary: .binary
        case .transformable: .transformable
        case .string: .string
        case .float, .double: .double
        case .number:
            source.map { QueryValueKind($0) } == .number ? source : source == .date ? .double : nil
        }
    }
}
