package import CofferModel
internal import FoundationEssentials

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
    /// - Throws: `WireError` if it has more than `Limits.predicateNodes` steps, or nests deeper than
    ///   `Limits.predicateDepth`.
    package func nodes() throws(WireError) -> [PredicateNode] {
        var flattening = PredicateFlattening()
        return try flattening.nodes(of: self)
    }

    /// The predicate that `nodes` make; `nil` if there are none.
    ///
    /// - Throws: `WireError`, naming the step, if operands are missing, of the wrong kind or left over, or
    ///   a limit is passed.
    package static func made(of nodes: [PredicateNode]) throws(WireError) -> QueryPredicate? {
        guard !nodes.isEmpty else { return nil }
        guard nodes.count <= Limits.predicateNodes else {
            throw .tooMany(
                "coffer.v1.FetchRequest.predicate", count: nodes.count, limit: Limits.predicateNodes)
        }
        var assembly = PredicateAssembly()
        for node in nodes { try assembly.take(node) }
        return try assembly.result()
    }
}

extension QueryPredicate {
    mutating func resolveObjects(in model: ManagedObjectModel, storeUUID: UUID) throws(WireError) {
        if let nodes = try nodes().resolvingObjects(in: model, storeUUID: storeUUID),
            let resolved = try Self.made(of: nodes)
        {
            self = resolved
        }
    }
}

extension [PredicateNode] {
    /// The steps with their objects' entities and store named; `nil` if they name no object.
    func resolvingObjects(in model: ManagedObjectModel, storeUUID: UUID) throws(WireError) -> [PredicateNode]?
    {
        var nodes: [PredicateNode]?
        for index in indices {
            guard case .constant(.object(let id)) = self[index] else { continue }
            let resolved = try ObjectReferenceMessage(id).id(in: model, storeUUID: storeUUID)
            nodes = nodes ?? self
            nodes?[index] = .constant(.object(resolved))
        }
        return nodes
    }
}

extension QueryExpression {
    /// An expression travels as the left side of a comparison does: these steps would follow it there.
    private static let comparison: [PredicateNode] = [.constant(.null), .comparison(.equal, .direct, [])]

    /// The steps that make the expression, operands first.
    package func nodes() throws(WireError) -> [PredicateNode] {
        let whole = try QueryPredicate.compare(self, .equal, .constant(.null)).nodes()
        return Array(whole.dropLast(Self.comparison.count))
    }

    /// The expression that `nodes` make.
    ///
    /// - Throws: `WireError`, naming the step, if operands are missing, of the wrong kind or left over, or
    ///   a limit is passed.
    package static func made(of nodes: [PredicateNode]) throws(WireError) -> QueryExpression {
        var assembly = PredicateAssembly()
        for node in nodes { try assembly.take(node) }
        return try assembly.expression()
    }
}
