extension PredicateCheck {
    func invalid(_ expression: QueryExpression, _ reason: String) -> QueryError {
        .invalidKeyPath(expression.format, entity: entity.name, reason: reason)
    }

    func mismatch(_ expression: QueryExpression, expected: String, found: String) -> QueryError {
        .typeMismatch(keyPath: expression.format, entity: entity.name, expected: expected, found: found)
    }

    /// What an expression gives; predicates within are checked and take their constants' new types.
    mutating func typed(_ expression: inout QueryExpression) throws(QueryError) -> PredicateShape {
        try enter()
        defer { leave() }
        switch expression {
        case .constant(.null): return PredicateShape(.null)
        case .constant(let value): return PredicateShape(.constant(value))
        case .evaluatedObject: return PredicateShape(.object(entity))
        case .keyPath(let keys): return try resolved(keys, from: entity)
        case .variable(let name, let keys): return try variable(name, keys: keys, in: expression)
        case .collection(var parts):
            let shapes = try typed(&parts)
            expression = .collection(parts)
            var shape = PredicateShape(.mixed(shapes), isMany: true)
            shape.isOrdered = true
            return shape
        case .function(let name, var parts):
            let shapes = try typed(&parts)
            expression = .function(name, parts)
            return try function(name, arguments: parts, shapes: shapes)
        case .conditional(let predicate, var then, var otherwise):
            let first = try typed(&then)
            let second = try typed(&otherwise)
            expression = .conditional(try checked(predicate), then: then, otherwise: otherwise)
            return try joined(first, second, in: expression)
        case .subquery: return try subquery(&expression)
        }
    }

    private mutating func typed(_ parts: inout [QueryExpression]) throws(QueryError) -> [PredicateShape] {
        var shapes: [PredicateShape] = []
        for index in parts.indices { shapes.append(try typed(&parts[index])) }
        return shapes
    }

    private func resolved(
        _ keys: [String], from start: EntityDescription
    ) throws(QueryError) -> PredicateShape {
        if let (path, key) = KeyPathResolver.textKey(at: keys, from: start, in: model) {
            return try asked(key, of: resolved(path, from: start))
        }
        let path = try KeyPathResolver.resolve(keys, from: start, in: model)
        if let relationship = path.relationship {
            var shape = PredicateShape(.object(model.destination(of: relationship)), isMany: path.isToMany)
            shape.isOrdered = path.isOrdered
            return shape
        }
        var shape = PredicateShape(
            path.attributeType.map { .attribute($0) } ?? .number, isMany: path.isToMany)
        shape.isOrdered = path.isOrdered
        return shape
    }

    /// What a key behind texts gives.
    private func asked(_ key: TextKey, of shape: PredicateShape) -> PredicateShape {
        var result = shape
        result.kind = .attribute(key == .length ? .integer64 : .string)
        return result
    }

    private func variable(
        _ name: String, keys: [String], in expression: QueryExpression
    ) throws(QueryError) -> PredicateShape {
        guard let shape = variables[name] else { throw .unfilledVariable(name) }
        guard !keys.isEmpty else { return shape }
        if shape.family == .text, let key = TextKey(only: keys) { return asked(key, of: shape) }
        guard case .object(let start) = shape.kind else {
            throw invalid(expression, "runs through a value")
        }
        return try resolved(keys, from: start)
    }

    /// What either of two expressions gives.
    private func joined(
        _ first: PredicateShape, _ second: PredicateShape, in expression: QueryExpression
    ) throws(QueryError) -> PredicateShape {
        if case .null = first.kind { return second }
        if case .null = second.kind { return first }
        guard first.family == second.family, first.isMany == second.isMany else {
            throw mismatch(
                expression, expected: "two values of one type", found: "\(first.name) and \(second.name)")
        }
        guard first.family == .number else { return first }
        if case .attribute(let left) = first.kind, case .attribute(let right) = second.kind, left == right {
            return first
        }
        return PredicateShape(.number)
    }

    private mutating func subquery(_ expression: inout QueryExpression) throws(QueryError) -> PredicateShape {
        guard case .subquery(var collection, let name, let predicate, let keys) = expression else {
            throw invalid(expression, "is not a subquery")
        }
        let found = try typed(&collection)
        guard found.isMany else { throw invalid(collection, "is not to-many, as SUBQUERY needs it") }
        let outer = variables[name]
        variables[name] = PredicateShape(found.kind.element, isMany: false)
        let inner = try checked(predicate)
        variables[name] = outer
        expression = .subquery(collection: collection, variable: name, predicate: inner, keyPath: keys)
        return try tail(keys, of: found, expression)
    }

    /// What the keys behind a subquery give.
    private func tail(
        _ keys: [String], of found: PredicateShape, _ expression: QueryExpression
    ) throws(QueryError) -> PredicateShape {
        guard let first = keys.first else { return found }
        if keys == [CollectionOperator.count.rawValue] { return PredicateShape(.attribute(.integer64)) }
        guard case .object(let start) = found.kind.element else {
            throw invalid(expression, "has keys behind values")
        }
        guard first.hasPrefix("@") else {
            var shape = try resolved(keys, from: start)
            shape.isMany = !keys.contains { CollectionOperator(rawValue: $0)?.isOfOneValue ?? false }
            return shape
        }
        guard let collectionOperator = CollectionOperator(rawValue: first), collectionOperator != .count
        else {
            throw invalid(expression, "has an operator that is not known")
        }
        let behind = Array(keys.dropFirst())
        guard KeyPathResolver.textKey(at: behind, from: start, in: model) == nil else {
            throw invalid(expression, "asks a text for '\(behind.last ?? "")' behind '\(first)'")
        }
        var shape = try resolved(behind, from: start)
        switch collectionOperator {
        case .union, .distinctUnion:
            shape.isMany = true
        case .average, .sum:
            guard shape.family == .number else {
                throw invalid(expression, "adds up values that are not numbers")
            }
            shape = PredicateShape(.number)
        case .min, .max, .count: break
        }
        return shape
    }
}

extension PredicateShape.Kind {
    /// The kind of a collection's elements, as far as it is one kind.
    fileprivate var element: PredicateShape.Kind {
        if case .mixed(let parts) = self { parts.first?.kind ?? .null } else { self }
    }
}

// MARK: - Functions

extension PredicateCheck {
    private func function(
        _ name: String, arguments: [QueryExpression], shapes: [PredicateShape]
    ) throws(QueryError) -> PredicateShape {
        guard let function = QueryFunction(name: name), function.argumentCount == arguments.count else {
            // What an application's function gives is not known before it runs.
            if QueryFunctions.argumentCount(of: name) == arguments.count { return PredicateShape(.null) }
            throw .unknownFunction(name, argumentCount: arguments.count)
        }
        switch function {
        case .now: return PredicateShape(.attribute(.date))
        case .cast: return try cast(arguments[1])
        case .count: return PredicateShape(.attribute(.integer64))
        case .first, .last, .element: return try element(function, arguments: arguments, shapes: shapes)
        case .min, .max: return PredicateShape(shapes[0].kind.element, isMany: false)
        case .noIndex: return shapes[0]
        case .valueForKeyPath:
            let keys = arguments[1].constantKeys
            if shapes[0].family == .text, !shapes[0].isMany, let key = keys.flatMap(TextKey.init(only:)) {
                return asked(key, of: shapes[0])
            }
            guard case .object(let start) = shapes[0].kind, let keys else {
                throw invalid(arguments[0], "is neither an object nor a text that has the key path")
            }
            var shape = try resolved(keys, from: start)
            shape.isMany = shape.isMany || shapes[0].isMany
            shape.isOrdered = false
            return shape
        case .year, .month, .day, .hour, .minute, .second, .weekday:
            try require(.date, expected: "a date for '\(name)'", arguments: arguments, shapes: shapes)
            return PredicateShape(.attribute(.integer64))
        case .length, .characterCount:
            try require(.text, expected: "text for '\(name)'", arguments: arguments, shapes: shapes)
            return PredicateShape(.attribute(.integer64))
        case .uppercase, .lowercase, .canonical:
            try require(.text, expected: "text for '\(name)'", arguments: arguments, shapes: shapes)
            return PredicateShape(.attribute(.string))
        case .sum, .average, .median, .mode, .standardDeviation:
            for (argument, shape) in zip(arguments, shapes) {
                let parts: [PredicateShape] =
                    if case .mixed(let parts) = shape.kind { parts } else { [shape] }
                try require(
                    .number, expected: "numbers for '\(name)'", arguments: parts.map { _ in argument },
                    shapes: parts)
            }
            return PredicateShape(.number)
        default:
            for (argument, shape) in zip(arguments, shapes) where shape.isMany {
                throw invalid(argument, "is to-many, but '\(name)' takes single values")
            }
            try require(.number, expected: "numbers for '\(name)'", arguments: arguments, shapes: shapes)
            return PredicateShape(.number)
        }
    }

    private func element(
        _ function: QueryFunction, arguments: [QueryExpression], shapes: [PredicateShape]
    ) throws(QueryError) -> PredicateShape {
        guard shapes[0].isMany else { throw invalid(arguments[0], "is not a collection") }
        guard shapes[0].isOrdered else {
            throw invalid(
                arguments[0],
                "has no order, so none is the first, the last or the n-th: ask for @min or @max, or make the relationship ordered"
            )
        }
        if function == .element {
            try require(.number, expected: "an index", arguments: [arguments[1]], shapes: [shapes[1]])
        }
        return PredicateShape(shapes[0].kind.element, isMany: false)
    }

    private func require(
        _ family: PredicateShape.Family, expected: String, arguments: [QueryExpression],
        shapes: [PredicateShape]
    ) throws(QueryError) {
        for (argument, shape) in zip(arguments, shapes) where shape.family ?? family != family {
            throw mismatch(argument, expected: expected, found: shape.name)
        }
    }

    private func cast(_ type: QueryExpression) throws(QueryError) -> PredicateShape {
        guard let name = type.constantValue?.textValue, let type = QueryCast(name: name) else {
            throw invalid(type, "is not a type to cast to")
        }
        return switch type {
        case .date: PredicateShape(.attribute(.date))
        case .uuid: PredicateShape(.attribute(.uuid))
        case .uri: PredicateShape(.attribute(.uri))
        case .decimal: PredicateShape(.attribute(.decimal))
        case .binary: PredicateShape(.attribute(.binary))
        case .transformable: PredicateShape(.attribute(.transformable))
        case .string: PredicateShape(.attribute(.string))
        case .float, .double, .number: PredicateShape(.number)
        }
    }
}
