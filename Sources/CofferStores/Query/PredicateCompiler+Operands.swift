internal import CofferModel

extension PredicateCompiler {
    /// One side of a comparison.
    func operand(_ expression: QueryExpression) throws(QueryError) -> QueryOperand {
        switch expression {
        case .constant(let value): return .constant(nextConstant(), value)
        case .collection(let elements): return try list(elements)
        case .evaluatedObject: return .object(fetched)
        case .keyPath(let names): return try follow(names, from: fetched)
        case .variable(let name, let names): return try variable(name, names)
        case .function(let name, let arguments): return try function(name, arguments)
        case .subquery(let collection, let variable, let predicate, let names):
            return try subquery(collection, variable, predicate, names)
        case .conditional(let predicate, let then, let otherwise):
            let condition = try condition(predicate)
            let (then, otherwise) = (try operand(then), try operand(otherwise))
            try check(then, otherwise)
            let type = then.type ?? otherwise.type
            return .scalar(
                "CASE WHEN \(condition) THEN \(try value(then)) ELSE \(try value(otherwise)) END", type)
        }
    }

    /// The value of an operand that has one.
    func value(
        _ operand: QueryOperand, _ form: QueryParameter.Form = .stored
    ) throws(QueryError) -> SQLFragment {
        switch operand {
        case .constant(let number, _): return "\(QueryParameter(source: .constant(number), form: form))"
        case .scalar(let text, _): return text
        case .object(let place): return place.key
        case .list, .elements: throw .invalidOperand("a list stands where one value is needed")
        case .many: throw .invalidOperand("a to-many key path stands where one value is needed")
        }
    }

    private func list(_ elements: [QueryExpression]) throws(QueryError) -> QueryOperand {
        if let list = ConstantList(elements) {
            guard list.parameterCount <= Limits.boundListElements else {
                throw .tooComplex("a list has \(list.values.count) elements")
            }
            return .list(nextConstant(), list)
        }
        var operands: [QueryOperand] = []
        for element in elements { operands.append(try operand(element)) }
        return .elements(operands)
    }

    private func variable(_ name: String, _ names: [String]) throws(QueryError) -> QueryOperand {
        guard let element = variables[name] else { throw .unfilledVariable(name) }
        if names.isEmpty { return element }
        guard case .object(let place) = element else {
            throw .invalidKeyPath(names.joined(separator: "."), entity: "", reason: "begins at a value")
        }
        return try follow(names, from: place)
    }

    private func subquery(
        _ collection: QueryExpression, _ variable: String, _ predicate: QueryPredicate, _ names: [String]
    ) throws(QueryError) -> QueryOperand {
        guard case .many(let scope, let element) = try operand(collection) else {
            throw .invalidOperand("SUBQUERY needs a to-many key path")
        }
        let outer = variables.updateValue(element, forKey: variable)
        defer { variables[variable] = outer }
        // The elements that are null are left out, as `@count` and its like do.
        scope.demand("\(try value(element)) IS NOT NULL")
        scope.demand(try condition(predicate))
        if names.isEmpty { return .many(scope, element: element) }
        guard case .object(let place) = element else {
            if names == ["@count"] { return try aggregate(.count, scope, element) }
            throw .invalidOperand("a key path is asked of values")
        }
        return try collected(names, scope, place)
    }
}

extension QueryOperand {
    /// Its type, where one is known.
    var type: AttributeType? {
        switch self {
        case .scalar(_, let type): type
        case .constant(_, let value):
            switch value {
            case .integer: .integer64
            case .boolean: .boolean
            case .double: .double
            case .float: .float
            case .decimal: .decimal
            case .string: .string
            case .uri: .uri
            case .date: .date
            case .binary: .binary
            case .transformable: .transformable
            case .uuid: .uuid
            case .null, .object: nil
            }
        case .list, .elements, .object, .many: nil
        }
    }
}
