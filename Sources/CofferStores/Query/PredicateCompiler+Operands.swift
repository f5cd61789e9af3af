internal import CofferModel

extension PredicateCompiler {
    /// One side of a comparison.
    func operand(_ expression: QueryExpression) throws(QueryError) -> QueryOperand {
        switch expression {
        case .constant(let value): return .constant(nextConstant(), value)
        case .collection(let elements): return try list(elements)
        case .evaluatedObject: return .object(fetched)
        case .keyPath(let names): return try reach(names, from: fetched)
        case .variable(let name, let names): return try variable(name, names)
        case .function(let name, let arguments): return try function(name, arguments)
        case .subquery(let collection, let variable, let predicate, let names):
            return try subquery(of: collection, variable: variable, where: predicate, path: names)
        case .conditional(let predicate, let then, let otherwise):
            let condition = try condition(predicate)
            let (then, otherwise) = (try operand(then), try operand(otherwise))
            try check(then, otherwise)
            if let place = chosen(where: condition, then: then, otherwise: otherwise) {
                return .object(place)
            }
            let type = Self.common(then, otherwise)
            let hasReal = type == nil && then.kind == .number
            let (a, b) =
                hasReal ? (try number(then), try number(otherwise)) : (try value(then), try value(otherwise))
            return .scalar("CASE WHEN \(condition) THEN \(a) ELSE \(b) END", type)
        }
    }

    /// Either of two objects, or an object or none, from which key paths may start; `nil` if the operands do
    /// not allow that.
    ///
    /// Within a `SUBQUERY` the condition may be of rows that a join around does not see.
    private func chosen(where condition: SQLFragment, then: QueryOperand, otherwise: QueryOperand)
        -> ReachedObject?
    {
        guard variables.isEmpty else { return nil }
        let entity: SQLEntity
        let keys: (SQLFragment, SQLFragment)
        switch (then, otherwise) {
        case (.object(let first), .object(let second)):
            let entities = schema.model.entities
            guard entities[second.entity.index].isKind(of: entities[first.entity.index]) else { return nil }
            (entity, keys) = (first.entity, (first.key, second.key))
        case (.object(let first), _) where otherwise.isNull:
            (entity, keys) = (first.entity, (first.key, "NULL"))
        case (_, .object(let second)) where then.isNull:
            (entity, keys) = (second.entity, ("NULL", second.key))
        default: return nil
        }
        return ReachedObject(
            scope: fetched.scope, entity: entity,
            key: "CASE WHEN \(condition) THEN \(keys.0) ELSE \(keys.1) END")
    }

    /// The common type of two values of which one is chosen; `nil` if they are numbers of different types.
    private static func common(_ left: QueryOperand, _ right: QueryOperand) -> AttributeType? {
        guard let a = left.type, let b = right.type else { return left.type ?? right.type }
        if a == b || left.kind != .number { return a }
        let areIntegers = [a, b].allSatisfy { $0.integerRange != nil || $0 == .boolean }
        return areIntegers ? .integer64 : nil
    }

    /// A collection whose elements are rows, those of a literal included.
    func collection(_ expression: QueryExpression) throws(QueryError) -> QueryOperand {
        guard case .collection(let elements) = expression else { return try operand(expression) }
        guard elements.count <= Limits.rowListElements else {
            throw .tooComplex("a list of rows has \(elements.count) elements")
        }
        var rows: [SQLFragment] = []
        var type: AttributeType?
        for element in elements {
            let operand = try operand(element)
            if case .object = operand { throw .invalidOperand("objects stand in a list: write IN") }
            let value = try value(operand)
            rows.append(rows.isEmpty ? "SELECT \(value) AS v" : "SELECT \(value)")
            // Small integers among large ones add up to large ones.
            if type == nil || operand.type == .integer64 && type?.integerRange != nil { type = operand.type }
        }
        let alias = try fetched.scope.aliases.next()
        // VALUES of several rows cannot name columns of the query around.
        let source = SQLFragment.list(
            rows.isEmpty ? ["SELECT NULL AS v WHERE 0"] : rows, separator: " UNION ALL ")
        let scope = QueryScope(
            aliases: fetched.scope.aliases, source: "(\(source)) \(name: alias)")
        return .many(scope, element: .scalar("\(name: alias).v", type))
    }

    /// One side of a comparison; of one that is demanded of all rows of `scope`, and that holds for no null.
    func required(
        _ expression: QueryExpression, in scope: QueryScope?
    ) throws(QueryError) -> QueryOperand {
        guard let scope else { return try operand(expression) }
        switch expression {
        case .keyPath(let names):
            return try reach(names, from: fetched, isRequired: fetched.scope === scope)
        case .variable(let name, let names) where !names.isEmpty:
            guard case .object(let place)? = variables[name] else { return try operand(expression) }
            return try reach(names, from: place, isRequired: place.scope === scope)
        default: return try operand(expression)
        }
    }

    /// The value of an operand that has one.
    func value(
        _ operand: QueryOperand, _ form: QueryParameter.Form = .stored
    ) throws(QueryError) -> SQLFragment {
        switch operand {
        case .constant(let number, _): return "\(QueryParameter(source: .constant(number), form: form))"
        case .scalar(let text, _):
            // Some functions need an operand several times, and may stand in one another.
            guard text.text.utf8.count <= Limits.operandBytes else {
                throw .tooComplex(
                    "an expression within it takes more than \(Limits.operandBytes) bytes of SQL")
            }
            return text
        case .object(let place): return place.key
        case .list, .elements: throw .invalidOperand("a list stands where one value is needed")
        case .many: throw .invalidOperand("a to-many key path stands where one value is needed")
        }
    }

    /// What is null when the operand is null.
    func presence(_ operand: QueryOperand) throws(QueryError) -> SQLFragment {
        let value = try value(operand)
        return value.presence.map { "\(name: $0)" } ?? value
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
            if let key = TextKey(only: names) { return try asked(key, of: element) }
            throw .invalidKeyPath(names.joined(separator: "."), entity: "", reason: "begins at a value")
        }
        return try reach(names, from: place)
    }

    private func subquery(
        of collection: QueryExpression, variable: String, where predicate: QueryPredicate,
        path names: [String]
    ) throws(QueryError) -> QueryOperand {
        guard case .many(let scope, let element) = try self.collection(collection) else {
            throw .invalidOperand("SUBQUERY takes a to-many key path: write TERNARY for a single value")
        }
        let outer = variables.updateValue(element, forKey: variable)
        defer { variables[variable] = outer }
        // The elements that are null are left out, as `@count` and its like do.
        scope.demand("\(try value(element)) IS NOT NULL")
        scope.demand(try condition(predicate, ofAll: scope))
        if names.isEmpty { return .many(scope, element: element) }
        guard case .object(let place) = element else {
            if names == ["@count"] { return try aggregate(.count, over: scope, of: element) }
            throw .invalidOperand("values have no key path: write the function, for example sum:(…)")
        }
        return try collected(names, over: scope, from: place)
    }
}

extension QueryOperand {
    /// Its type, if one is known.
    var type: AttributeType? {
        switch self {
        case .scalar(_, let type): type
        case .constant(_, let value): value.type
        case .list, .elements, .object, .many: nil
        }
    }
}
