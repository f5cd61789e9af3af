package import FoundationEssentials

/// Evaluates predicates in memory; `NullSemantics` says what null means.
struct PredicateEvaluator {
    /// A value while it is computed.
    enum Operand {
        case value(AttributeValue)
        case object(any PredicateSubject)
        case many([Operand])

        init(_ value: SubjectValue) {
            switch value {
            case .value(let value): self = .value(value.isNaN ? .null : value)
            case .values(let values): self = .many(values.map { .value($0.isNaN ? .null : $0) })
            case .object(let object): self = object.map { .object($0) } ?? .value(.null)
            case .objects(let objects): self = .many(objects.map { .object($0) })
            }
        }

        /// What it is compared as; `nil` for a collection.
        var comparable: AttributeValue? {
            switch self {
            case .value(let value): value
            case .object(let object): object.identity
            case .many: nil
            }
        }

        /// Whether there is no value; an object is a value, whatever it is compared as.
        var isNull: Bool { if case .value(.null) = self { true } else { false } }

        /// The elements of a collection; the operand itself if it is not a collection.
        var elements: [Operand] {
            if case .many(let elements) = self { elements } else { [self] }
        }
    }

    let subject: any PredicateSubject
    let now: Date
    var variables: [String: Operand] = [:]
    private var depth = 0

    init(subject: any PredicateSubject, now: Date) {
        self.subject = subject
        self.now = now
    }

    mutating func holds(_ predicate: QueryPredicate) throws(QueryError) -> Bool {
        try enter()
        defer { depth -= 1 }
        switch predicate {
        case .always(let value): return value
        case .and(let parts):
            for part in parts where try !holds(part) { return false }
            return true
        case .or(let parts):
            for part in parts where try holds(part) { return true }
            return false
        case .not(let part): return try !holds(part)
        case .comparison(let comparison): return try holds(comparison)
        }
    }

    mutating func value(_ expression: QueryExpression) throws(QueryError) -> Operand {
        try enter()
        defer { depth -= 1 }
        switch expression {
        case .constant(let value): return .value(value.isNaN ? .null : value)
        case .collection(let parts): return .many(try values(parts))
        case .evaluatedObject: return .object(subject)
        case .keyPath(let keys): return try follow(keys[...], from: .object(subject))
        case .variable(let name, let keys): return try variable(name, keys)
        case .function(let name, let parts): return try call(name, parts)
        case .subquery(let collection, let variable, let predicate, let keys):
            let found = try filter(collection, variable: variable, by: predicate)
            return try follow(keys[...], from: found)
        case .conditional(let predicate, let then, let otherwise):
            return try holds(predicate) ? try value(then) : try value(otherwise)
        }
    }
}

extension PredicateEvaluator {
    private mutating func enter() throws(QueryError) {
        depth += 1
        guard depth <= Limits.predicateDepth else {
            throw .tooComplex("it is nested more than \(Limits.predicateDepth) deep")
        }
    }

    private mutating func values(_ parts: [QueryExpression]) throws(QueryError) -> [Operand] {
        var result: [Operand] = []
        result.reserveCapacity(parts.count)
        for part in parts { result.append(try value(part)) }
        return result
    }

    private func variable(_ name: String, _ keys: [String]) throws(QueryError) -> Operand {
        guard let value = variables[name] else { throw .unfilledVariable(name) }
        return try follow(keys[...], from: value)
    }

    private mutating func filter(
        _ collection: QueryExpression, variable: String, by predicate: QueryPredicate
    ) throws(QueryError) -> Operand {
        let outer = variables[variable]
        defer { variables[variable] = outer }
        var found: [Operand] = []
        for element in try value(collection).elements {
            if element.isNull { continue }
            variables[variable] = element
            if try holds(predicate) { found.append(element) }
        }
        return .many(found)
    }

    private mutating func call(_ name: String, _ parts: [QueryExpression]) throws(QueryError) -> Operand {
        guard let function = QueryFunction(name: name), function.argumentCount == parts.count else {
            return .value(try callRegistered(name, parts))
        }
        if function == .valueForKeyPath {
            guard let keys = parts[1].constantKeys else {
                throw .invalidOperand("a key path is a fixed text")
            }
            return try follow(keys[...], from: try value(parts[0]))
        }
        return try function.apply(to: try values(parts), now: now)
    }

    /// Calls a function of the application.
    private mutating func callRegistered(
        _ name: String, _ parts: [QueryExpression]
    ) throws(QueryError) -> AttributeValue {
        guard let body = QueryFunctions.body(of: name, argumentCount: parts.count) else {
            throw .unknownFunction(name, argumentCount: parts.count)
        }
        var arguments: [AttributeValue] = []
        for operand in try values(parts) {
            guard let value = operand.comparable else {
                throw .invalidOperand("'\(name)' takes single values, not a collection")
            }
            arguments.append(value)
        }
        let result = try body(arguments)
        return result.isNaN ? .null : result
    }
}

// MARK: - Key paths

extension PredicateEvaluator {
    /// What `keys` lead to; through a collection it is the collection of what they lead to from each element.
    private func follow(_ keys: ArraySlice<String>, from start: Operand) throws(QueryError) -> Operand {
        var current = start
        for (index, key) in zip(keys.indices, keys) {
            if key.hasPrefix("@") {
                guard let collectionOperator = CollectionOperator(rawValue: key) else {
                    throw .invalidOperand("the operator '\(key)' is not known")
                }
                let behind = try follow(keys[(index + 1)...], from: .many(current.elements))
                return try collectionOperator.apply(to: behind.elements)
            }
            current = try step(key, from: current)
        }
        return current
    }

    private func step(_ key: String, from operand: Operand) throws(QueryError) -> Operand {
        switch operand {
        case .value(.null): return .value(.null)
        case .value(let value):
            guard let result = TextKey(rawValue: key)?.value(of: value) else {
                throw .invalidOperand("a value has no property '\(key)'")
            }
            return .value(result)
        case .object(let object): return Operand(try object.value(forKey: key))
        case .many(let elements):
            var result: [Operand] = []
            for element in elements where !element.isNull { result += try step(key, from: element).elements }
            return .many(result)
        }
    }
}

// MARK: - Entry

extension QueryPredicate {
    /// Whether the predicate holds for an object, by the rules of `NullSemantics`.
    ///
    /// The function `now` gives `now`.
    /// - Throws: `QueryError` if a key is unknown, a variable has no value, or an operator cannot take a
    ///   value.
    package func evaluate(
        on object: some PredicateSubject, now: Date = Date()
    ) throws(QueryError) -> Bool {
        var evaluator = PredicateEvaluator(subject: object, now: now)
        return try evaluator.holds(self)
    }
}

extension QueryExpression {
    /// The value of an expression for an object; `nil` for an expression that gives a collection.
    package func evaluate(
        on object: some PredicateSubject, now: Date = Date()
    ) throws(QueryError) -> AttributeValue? {
        var evaluator = PredicateEvaluator(subject: object, now: now)
        return try evaluator.value(self).comparable
    }

    /// What an expression gives in which `$name` stands for the subject of that name.
    ///
    /// - Throws: `QueryError` if a key is unknown, a variable has no value, or an operator cannot take a
    ///   value.
    package func evaluate(
        binding subjects: [String: any PredicateSubject], now: Date = Date()
    ) throws(QueryError) -> SubjectValue {
        var evaluator = PredicateEvaluator(subject: ValueSubject(.null), now: now)
        evaluator.variables = subjects.mapValues { .object($0) }
        return SubjectValue(try evaluator.value(self))
    }
}

extension SubjectValue {
    /// What an operand is; a collection in which there is anything else than objects is one of values.
    fileprivate init(_ operand: PredicateEvaluator.Operand) {
        switch operand {
        case .value(let value): self = .value(value)
        case .object(let object): self = .object(object)
        case .many(let elements):
            let objects = elements.compactMap { element -> (any PredicateSubject)? in
                if case .object(let object) = element { object } else { nil }
            }
            self =
                objects.count == elements.count
                ? .objects(objects) : .values(elements.compactMap(\.comparable))
        }
    }
}
