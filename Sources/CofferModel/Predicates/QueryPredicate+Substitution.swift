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

    /// The predicate with what `value` gives in place of `$name.keys`; if it gives `nil`, the variable
    /// stays.
    ///
    /// Within a `SUBQUERY` its own variable stays, and `value` is not asked for it.
    package func replacingVariables<Failure: Error>(
        _ value: (_ name: String, _ keys: [String]) throws(Failure) -> QueryExpression?
    ) throws(Failure) -> QueryPredicate {
        try replacingLeaves { leaf throws(Failure) in
            guard case .variable(let name, let keys) = leaf else { return nil }
            return try value(name, keys)
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
        replacingLeaves { leaf in
            if case .variable(let name, []) = leaf { expressions[name] } else { nil }
        }
    }
}
