internal import CofferModel

/// Turns a predicate into postfix order, without recursion.
struct PredicateFlattening {
    private enum Step {
        case predicate(QueryPredicate, depth: Int)
        case expression(QueryExpression, depth: Int)
        case emit(PredicateNode)
    }

    private var waiting: [Step] = []
    private var result: [PredicateNode] = []

    mutating func nodes(of predicate: QueryPredicate) throws(WireError) -> [PredicateNode] {
        try nodes(from: .predicate(predicate, depth: 1))
    }

    mutating func nodes(of expression: QueryExpression) throws(WireError) -> [PredicateNode] {
        try nodes(from: .expression(expression, depth: 1))
    }

    private mutating func nodes(from first: Step) throws(WireError) -> [PredicateNode] {
        waiting.append(first)
        while let step = waiting.popLast() {
            switch step {
            case .predicate(let predicate, let depth): try visit(predicate, depth)
            case .expression(let expression, let depth): try visit(expression, depth)
            case .emit(let node): result.append(node)
            }
            guard result.count + waiting.count <= 2 * Limits.predicateNodes,
                result.count <= Limits.predicateNodes
            else {
                throw .malformed("coffer.v1.PredicateNode: more than \(Limits.predicateNodes) steps")
            }
        }
        return result
    }

    private mutating func visit(_ predicate: QueryPredicate, _ depth: Int) throws(WireError) {
        try Self.checkDepth(depth)
        switch predicate {
        case .always(let holds): result.append(.always(holds))
        case .and(let operands): push(.and(operands.count), operands: operands, depth: depth)
        case .or(let operands): push(.or(operands.count), operands: operands, depth: depth)
        case .not(let operand): push(.not, operands: [operand], depth: depth)
        case .comparison(let comparison):
            waiting.append(.emit(.comparison(comparison.operator, comparison.modifier, comparison.options)))
            waiting.append(.expression(comparison.right, depth: depth + 1))
            waiting.append(.expression(comparison.left, depth: depth + 1))
        }
    }

    private mutating func visit(_ expression: QueryExpression, _ depth: Int) throws(WireError) {
        try Self.checkDepth(depth)
        switch expression {
        case .constant(let value): result.append(.constant(value))
        case .evaluatedObject: result.append(.evaluatedObject)
        case .keyPath(let names): result.append(.keyPath(names))
        case .variable(let name, let keyPath): result.append(.variable(name, keyPath: keyPath))
        case .collection(let operands): push(.collection(operands.count), operands: operands, depth: depth)
        case .function(let name, let operands):
            push(.function(name, operands.count), operands: operands, depth: depth)
        case .subquery(let collection, let variable, let predicate, let keyPath):
            waiting.append(.emit(.subquery(variable: variable, keyPath: keyPath)))
            waiting.append(.predicate(predicate, depth: depth + 1))
            waiting.append(.expression(collection, depth: depth + 1))
        case .conditional(let predicate, let then, let otherwise):
            waiting.append(.emit(.conditional))
            waiting.append(.expression(otherwise, depth: depth + 1))
            waiting.append(.expression(then, depth: depth + 1))
            waiting.append(.predicate(predicate, depth: depth + 1))
        }
    }

    private mutating func push(_ node: PredicateNode, operands: [QueryPredicate], depth: Int) {
        waiting.append(.emit(node))
        for operand in operands.reversed() { waiting.append(.predicate(operand, depth: depth + 1)) }
    }

    private mutating func push(_ node: PredicateNode, operands: [QueryExpression], depth: Int) {
        waiting.append(.emit(node))
        for operand in operands.reversed() { waiting.append(.expression(operand, depth: depth + 1)) }
    }

    /// Refuses what nests too deep to be walked.
    static func checkDepth(_ depth: Int) throws(WireError) {
        guard depth <= Limits.predicateDepth else {
            throw .malformed("coffer.v1.PredicateNode: nests deeper than \(Limits.predicateDepth) levels")
        }
    }
}
