internal import CofferModel

/// Makes a predicate of steps in postfix order: a stack of operands, and for each step one operand instead of
/// those it takes.
struct PredicateAssembly {
    private enum Operand {
        case predicate(QueryPredicate, depth: Int)
        case expression(QueryExpression, depth: Int)
    }

    private var stack: [Operand] = []
    /// The step that is taken, for errors.
    private var place = 0
    /// How deep the operands nest that the step has taken.
    private var depth = 0
    /// Steps that were taken.
    private var count = 0

    /// Takes the next step.
    mutating func take(_ node: consuming PredicateNode) throws(WireError) {
        if count == 0 { stack.reserveCapacity(4) }  // Enough for most predicates.
        guard count < Limits.predicateNodes else {
            throw .tooMany("coffer.v1.FetchRequest.predicate", count: count + 1, limit: Limits.predicateNodes)
        }
        defer { count += 1 }
        try take(node, at: count)
    }

    private mutating func take(_ node: consuming PredicateNode, at place: Int) throws(WireError) {
        self.place = place
        depth = 0
        switch consume node {
        case .always(let holds): try push(.always(holds))
        case .and(let count): try push(.and(popPredicates(count)))
        case .or(let count): try push(.or(popPredicates(count)))
        case .not: try push(.not(popPredicate()))
        case .comparison(let `operator`, let modifier, let options):
            let right = try popExpression()
            let left = try popExpression()
            try push(
                .comparison(
                    QueryComparison(left, `operator`, right, modifier: modifier, options: options)))
        case .constant(let value): try push(.constant(value))
        case .evaluatedObject: try push(.evaluatedObject)
        case .keyPath(let names): try push(.keyPath(names))
        case .variable(let name, let keyPath): try push(.variable(name, keyPath: keyPath))
        case .collection(let count): try push(.collection(popExpressions(count)))
        case .function(let name, let count): try push(.function(name, popExpressions(count)))
        case .subquery(let variable, let keyPath):
            let predicate = try popPredicate()
            try push(
                .subquery(
                    collection: popExpression(), variable: variable, predicate: predicate, keyPath: keyPath))
        case .conditional:
            let otherwise = try popExpression()
            let then = try popExpression()
            try push(.conditional(popPredicate(), then: then, otherwise: otherwise))
        }
    }

    /// The one expression that is left.
    mutating func expression() throws(WireError) -> QueryExpression {
        guard stack.count == 1 else {
            throw .malformed("coffer.v1.NamedExpression.expression: \(stack.count) operands are left over")
        }
        return try popExpression()
    }

    /// The one predicate that is left.
    mutating func result() throws(WireError) -> QueryPredicate {
        guard stack.count == 1 else {
            throw .malformed("coffer.v1.FetchRequest.predicate: \(stack.count) operands are left over")
        }
        return try popPredicate()
    }

    /// The predicate; `nil` if no step came.
    mutating func resultIfAny() throws(WireError) -> QueryPredicate? { count == 0 ? nil : try result() }
}

extension PredicateAssembly {
    private mutating func push(_ predicate: QueryPredicate) throws(WireError) {
        stack.append(.predicate(predicate, depth: try nextDepth()))
    }

    private mutating func push(_ expression: QueryExpression) throws(WireError) {
        stack.append(.expression(expression, depth: try nextDepth()))
    }

    private func nextDepth() throws(WireError) -> Int {
        guard depth < Limits.predicateDepth else {
            throw fault("nests deeper than \(Limits.predicateDepth) levels")
        }
        return depth + 1
    }

    private mutating func popPredicate() throws(WireError) -> QueryPredicate {
        switch stack.popLast() {
        case .predicate(let predicate, let depth):
            self.depth = max(self.depth, depth)
            return predicate
        case .expression: throw fault("takes a predicate, and finds an expression")
        case nil: throw fault("takes an operand, and finds none")
        }
    }

    private mutating func popExpression() throws(WireError) -> QueryExpression {
        switch stack.popLast() {
        case .expression(let expression, let depth):
            self.depth = max(self.depth, depth)
            return expression
        case .predicate: throw fault("takes an expression, and finds a predicate")
        case nil: throw fault("takes an operand, and finds none")
        }
    }

    private mutating func popPredicates(_ count: Int) throws(WireError) -> [QueryPredicate] {
        try checkCount(count)
        var operands: [QueryPredicate] = []
        operands.reserveCapacity(count)
        for _ in 0..<count { operands.append(try popPredicate()) }
        operands.reverse()
        return operands
    }

    private mutating func popExpressions(_ count: Int) throws(WireError) -> [QueryExpression] {
        try checkCount(count)
        var operands: [QueryExpression] = []
        operands.reserveCapacity(count)
        for _ in 0..<count { operands.append(try popExpression()) }
        operands.reverse()
        return operands
    }

    private func checkCount(_ count: Int) throws(WireError) {
        guard (0...stack.count).contains(count) else {
            throw fault("takes \(count) operands, and finds \(stack.count)")
        }
    }

    private func fault(_ text: String) -> WireError {
        .malformed("coffer.v1.FetchRequest.predicate: step \(place) \(text)")
    }
}
