package import CofferModel

/// `coffer.v1.PredicateNode`: one step of a predicate in postfix order, operands before what uses them.
package enum PredicateNode: Sendable, Equatable {
    /// `TRUEPREDICATE` or `FALSEPREDICATE`.
    case always(Bool)
    /// Takes so many predicates.
    case and(Int)
    /// Takes so many predicates.
    case or(Int)
    /// Takes a predicate.
    case not
    /// Takes two expressions, left before right.
    case comparison(QueryComparison.Operator, QueryComparison.Modifier, QueryComparison.Options)
    /// A fixed value.
    case constant(AttributeValue)
    /// Takes so many expressions.
    case collection(Int)
    /// The object itself.
    case evaluatedObject
    /// Property names from the object on.
    case keyPath([String])
    /// A variable, with a key path behind it.
    case variable(String, keyPath: [String])
    /// Takes so many expressions.
    case function(String, Int)
    /// Takes an expression and a predicate.
    case subquery(variable: String, keyPath: [String])
    /// Takes a predicate and two expressions.
    case conditional
}

extension QueryPredicate {
    /// The steps that make the predicate, operands first.
    ///
    /// - Throws: `WireError` where it has more than `Limits.predicateNodes` steps, or nests deeper than `Limits.predicateDepth`.
    package func nodes() throws(WireError) -> [PredicateNode] {
        var flattening = PredicateFlattening()
        return try flattening.nodes(of: self)
    }

    /// The predicate that `nodes` make; `nil` where there are none.
    ///
    /// - Throws: `WireError`, naming the step, where operands are missing, of the wrong kind or left over, or a limit is passed.
    package static func made(of nodes: [PredicateNode]) throws(WireError) -> QueryPredicate? {
        guard !nodes.isEmpty else { return nil }
        guard nodes.count <= Limits.predicateNodes else {
            throw .tooMany(
                "coffer.v1.FetchRequest.predicate", count: nodes.count, limit: Limits.predicateNodes)
        }
        var assembly = PredicateAssembly()
        for (place, node) in nodes.enumerated() { try assembly.take(node, at: place) }
        return try assembly.result()
    }
}
