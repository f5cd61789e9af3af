extension QueryPredicate {
    /// The predicate with values in place of `$name`.
    ///
    /// Variables without a value stay; so do those with keys behind them, and within a `SUBQUERY` its own
    /// variable.
    public func substituting(_ values: [String: AttributeValue]) -> QueryPredicate {
        substituting(expressions: values.mapValues { .constant($0) })
    }

    /// The predicate with expressions, for example collections, in place of `$name`.
    public func substituting(expressions: [String: QueryExpression]) -> QueryPredicate {
        replacingVariables { name, keys in keys.isEmpty ? expressions[name] : nil }
    }

    /// The predicate with what `value` gives in place of `$name.keys`; where it gives `nil` the variable stays.
    ///
    /// Within a `SUBQUERY` its own variable stays, and nobody is asked for it.
    package func replacingVariables<Failure: Error>(
        _ value: (_ name: String, _ keys: [String]) throws(Failure) -> QueryExpression?
    ) throws(Failure) -> QueryPredicate {
        switch self {
        case .always: return self
        case .and(let parts):
            return .and(try parts.map { part throws(Failure) in try part.replacingVariables(value) })
        case .or(let parts):
            return .or(try parts.map { part throws(Failure) in try part.replacingVariables(value) })
        case .not(let part): return .not(try part.replacingVariables(value))
        case .comparison(var comparison):
            comparison.left = try comparison.left.replacingVariables(value)
            comparison.right = try comparison.right.replacingVariables(value)
            return .comparison(comparison)
        }
    }

    /// The names of variables that have no value, each once, in the order of the predicate.
    package var unfilledVariables: [String] {
        var names: [String] = []
        _ = replacingVariables { name, _ in
            if !names.contains(name) { names.append(name) }
            return nil
        }
        return names
    }
}

extension QueryExpression {
    /// The expression with others in place of `$name`; the rules are those of
    /// `QueryPredicate.substituting(_:)`.
    public func substituting(expressions: [String: QueryExpression]) -> QueryExpression {
        replacingVariables { name, keys in keys.isEmpty ? expressions[name] : nil }
    }

    /// The expression with others in place of variables; the rules are those of `QueryPredicate.replacingVariables(_:)`.
    package func replacingVariables<Failure: Error>(
        _ value: (_ name: String, _ keys: [String]) throws(Failure) -> QueryExpression?
    ) throws(Failure) -> QueryExpression {
        switch self {
        case .constant, .evaluatedObject, .keyPath: return self
        case .variable(let name, let keys): return try value(name, keys) ?? self
        case .collection(let parts):
            return .collection(try parts.map { part throws(Failure) in try part.replacingVariables(value) })
        case .function(let name, let parts):
            return .function(
                name, try parts.map { part throws(Failure) in try part.replacingVariables(value) })
        case .subquery(let collection, let variable, let predicate, let keys):
            return .subquery(
                collection: try collection.replacingVariables(value), variable: variable,
                predicate: try predicate.replacingVariables { (name, keys) throws(Failure) in
                    name == variable ? nil : try value(name, keys)
                }, keyPath: keys)
        case .conditional(let predicate, let then, let otherwise):
            return .conditional(
                try predicate.replacingVariables(value), then: try then.replacingVariables(value),
                otherwise: try otherwise.replacingVariables(value))
        }
    }
}
