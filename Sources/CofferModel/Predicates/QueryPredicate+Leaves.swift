extension QueryPredicate {
    /// Whether any expression that is made of no others fits; asked from left to right until one does.
    ///
    /// - Complexity: O(steps), without memory.
    package func contains(leafWhere fits: (QueryExpression) -> Bool) -> Bool {
        switch self {
        case .always: false
        case .and(let parts), .or(let parts): parts.contains { $0.contains(leafWhere: fits) }
        case .not(let part): part.contains(leafWhere: fits)
        case .comparison(let comparison):
            comparison.left.contains(leafWhere: fits) || comparison.right.contains(leafWhere: fits)
        }
    }

    /// Whether a constant in it is an object that fits.
    package func namesObjects(where fits: (ManagedObjectID) -> Bool = { _ in true }) -> Bool {
        contains { $0.isObject(where: fits) }
    }

    /// The predicate with what `replacement` gives in place of expressions that are made of no others; if
    /// it gives `nil`, they stay.
    ///
    /// Within a `SUBQUERY` its own variable, which is in `bound` there, stays, and `replacement` is not
    /// asked for it.
    package func replacingLeaves<Failure: Error>(
        bound: [String] = [], _ replacement: (QueryExpression) throws(Failure) -> QueryExpression?
    ) throws(Failure) -> QueryPredicate {
        func replaced(_ part: QueryPredicate) throws(Failure) -> QueryPredicate {
            try part.replacingLeaves(bound: bound, replacement)
        }
        switch self {
        case .always: return self
        case .and(let parts): return .and(try parts.map(replaced))
        case .or(let parts): return .or(try parts.map(replaced))
        case .not(let part): return .not(try replaced(part))
        case .comparison(var comparison):
            comparison.left = try comparison.left.replacingLeaves(bound: bound, replacement)
            comparison.right = try comparison.right.replacingLeaves(bound: bound, replacement)
            return .comparison(comparison)
        }
    }
}

extension QueryExpression {
    /// Whether any expression in it that is made of no others fits; the rules are those of
    /// `QueryPredicate.contains(leafWhere:)`.
    package func contains(leafWhere fits: (QueryExpression) -> Bool) -> Bool {
        switch self {
        case .constant, .evaluatedObject, .keyPath, .variable: fits(self)
        case .collection(let parts), .function(_, let parts): parts.contains { $0.contains(leafWhere: fits) }
        case .subquery(let collection, _, let predicate, _):
            collection.contains(leafWhere: fits) || predicate.contains(leafWhere: fits)
        case .conditional(let predicate, let then, let otherwise):
            predicate.contains(leafWhere: fits) || then.contains(leafWhere: fits)
                || otherwise.contains(leafWhere: fits)
        }
    }

    /// Whether it is a constant object that fits.
    package func isObject(where fits: (ManagedObjectID) -> Bool) -> Bool {
        if case .constant(.object(let id)) = self { fits(id) } else { false }
    }

    /// The expression with others in place of those that are made of no others; the rules are those of
    /// `QueryPredicate.replacingLeaves(bound:_:)`.
    package func replacingLeaves<Failure: Error>(
        bound: [String] = [], _ replacement: (QueryExpression) throws(Failure) -> QueryExpression?
    ) throws(Failure) -> QueryExpression {
        func replaced(_ part: QueryExpression) throws(Failure) -> QueryExpression {
            try part.replacingLeaves(bound: bound, replacement)
        }
        switch self {
        case .variable(let name, _) where bound.contains(name): return self
        case .constant, .evaluatedObject, .keyPath, .variable: return try replacement(self) ?? self
        case .collection(let parts): return .collection(try parts.map(replaced))
        case .function(let name, let parts): return .function(name, try parts.map(replaced))
        case .subquery(let collection, let variable, let predicate, let keys):
            return .subquery(
                collection: try replaced(collection), variable: variable,
                predicate: try predicate.replacingLeaves(bound: bound + [variable], replacement),
                keyPath: keys)
        case .conditional(let predicate, let then, let otherwise):
            return .conditional(
                try predicate.replacingLeaves(bound: bound, replacement), then: try replaced(then),
                otherwise: try replaced(otherwise))
        }
    }
}
