extension QueryPredicate {
    /// The predicate with values in place of `$name`.
    ///
    /// Variables without a value stay; so do those with keys behind them, and within a `SUBQUERY` its own variable.
    public func substituting(_ values: [String: AttributeValue]) -> QueryPredicate {
        substituting(expressions: values.mapValues { .constant($0) })
    }

    /// The predicate with expressions, for example collections, in place of `$name`.
    public func substituting(expressions: [String: QueryExpression]) -> QueryPredicate {
        switch self {
        case .always: return self
        case .and(let parts): return .and(parts.map { $0.substituting(expressions: expressions) })
        case .or(let parts): return .or(parts.map { $0.substituting(expressions: expressions) })
        case .not(let part): return .not(part.substituting(expressions: expressions))
        case .comparison(var comparison):
            comparison.left = comparison.left.substituting(expressions: expressions)
            comparison.right = comparison.right.substituting(expressions: expressions)
            return .comparison(comparison)
        }
    }
}

extension QueryExpression {
    /// The expression with others in place of `$name`; the rules are those of `QueryPredicate.substituting(_:)`.
    public func substituting(expressions: [String: QueryExpression]) -> QueryExpression {
        switch self {
        case .constant, .evaluatedObject, .keyPath: return self
        case .variable(let name, let keys): return keys.isEmpty ? expressions[name] ?? self : self
        case .collection(let parts):
            return .collection(parts.map { $0.substituting(expressions: expressions) })
        case .function(let name, let parts):
            return .function(name, parts.map { $0.substituting(expressions: expressions) })
        case .subquery(let collection, let variable, let predicate, let keys):
            var inner = expressions
            inner[variable] = nil
            return .subquery(
                collection: collection.substituting(expressions: expressions), variable: variable,
                predicate: predicate.substituting(expressions: inner), keyPath: keys)
        case .conditional(let predicate, let then, let otherwise):
            return .conditional(
                predicate.substituting(expressions: expressions),
                then: then.substituting(expressions: expressions),
                otherwise: otherwise.substituting(expressions: expressions))
        }
    }
}
