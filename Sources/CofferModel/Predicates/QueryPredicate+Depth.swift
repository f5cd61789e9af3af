extension QueryPredicate {
    /// How deeply it is nested, 1 for a constant; a predicate that is read or checked has at most
    /// `Limits.predicateDepth`.
    package var depth: Int {
        switch self {
        case .always: 1
        case .and(let parts), .or(let parts): 1 + (parts.map(\.depth).max() ?? 0)
        case .not(let part): 1 + part.depth
        case .comparison(let comparison): 1 + max(comparison.left.depth, comparison.right.depth)
        }
    }
}

extension QueryExpression {
    /// How deeply it is nested, 1 for a constant.
    package var depth: Int {
        switch self {
        case .constant, .evaluatedObject, .keyPath, .variable: 1
        case .collection(let parts), .function(_, let parts): 1 + (parts.map(\.depth).max() ?? 0)
        case .subquery(let collection, _, let predicate, _): 1 + max(collection.depth, predicate.depth)
        case .conditional(let predicate, let then, let otherwise):
            1 + max(predicate.depth, then.depth, otherwise.depth)
        }
    }
}
