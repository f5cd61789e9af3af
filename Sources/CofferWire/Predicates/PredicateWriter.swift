internal import CofferModel

/// Packs a predicate in postfix order, operands first, a message for each step.
struct PredicateWriter {
    /// Steps that were written.
    private var count = 0
    /// The number of the repeated field of the steps.
    private var field: UInt64 = 0

    /// Packs `predicate` as the repeated field `field`.
    fileprivate mutating func write(
        _ predicate: QueryPredicate, as field: UInt64, to writer: inout FieldWriter
    ) throws(WireError) {
        self.field = field
        try write(predicate, depth: 1, to: &writer)
    }

    /// Packs `expression` as the repeated field `field`.
    fileprivate mutating func write(
        _ expression: QueryExpression, as field: UInt64, to writer: inout FieldWriter
    ) throws(WireError) {
        self.field = field
        try write(expression, depth: 1, to: &writer)
    }

    private mutating func write(
        _ predicate: QueryPredicate, depth: Int, to writer: inout FieldWriter
    ) throws(WireError) {
        try PredicateFlattening.checkDepth(depth)
        switch predicate {
        case .always(let holds): try emit(.always(holds), &writer)
        case .and(let operands):
            for operand in operands { try write(operand, depth: depth + 1, to: &writer) }
            try emit(.and(operands.count), &writer)
        case .or(let operands):
            for operand in operands { try write(operand, depth: depth + 1, to: &writer) }
            try emit(.or(operands.count), &writer)
        case .not(let operand):
            try write(operand, depth: depth + 1, to: &writer)
            try emit(.not, &writer)
        case .comparison(let comparison):
            try write(comparison.left, depth: depth + 1, to: &writer)
            try write(comparison.right, depth: depth + 1, to: &writer)
            try emit(
                .comparison(comparison.operator, comparison.modifier, comparison.options), &writer)
        }
    }

    private mutating func write(
        _ expression: QueryExpression, depth: Int, to writer: inout FieldWriter
    ) throws(WireError) {
        try PredicateFlattening.checkDepth(depth)
        switch expression {
        case .constant(let value): try emit(.constant(value), &writer)
        case .evaluatedObject: try emit(.evaluatedObject, &writer)
        case .keyPath(let names): try emit(.keyPath(names), &writer)
        case .variable(let name, let keyPath): try emit(.variable(name, keyPath: keyPath), &writer)
        case .collection(let operands):
            for operand in operands { try write(operand, depth: depth + 1, to: &writer) }
            try emit(.collection(operands.count), &writer)
        case .function(let name, let operands):
            for operand in operands { try write(operand, depth: depth + 1, to: &writer) }
            try emit(.function(name, operands.count), &writer)
        case .subquery(let collection, let variable, let predicate, let keyPath):
            try write(collection, depth: depth + 1, to: &writer)
            try write(predicate, depth: depth + 1, to: &writer)
            try emit(.subquery(variable: variable, keyPath: keyPath), &writer)
        case .conditional(let predicate, let then, let otherwise):
            try write(predicate, depth: depth + 1, to: &writer)
            try write(then, depth: depth + 1, to: &writer)
            try write(otherwise, depth: depth + 1, to: &writer)
            try emit(.conditional, &writer)
        }
    }

    private mutating func emit(_ node: PredicateNode, _ writer: inout FieldWriter) throws(WireError) {
        count += 1
        guard count <= Limits.predicateNodes else {
            throw .malformed("coffer.v1.PredicateNode: more than \(Limits.predicateNodes) steps")
        }
        try writer.put(field, message: node)
    }
}

extension FieldWriter {
    /// A predicate, as the repeated field of its steps.
    mutating func put(_ field: UInt64, predicate: QueryPredicate?) throws(WireError) {
        guard let predicate else { return }
        var steps = PredicateWriter()
        try steps.write(predicate, as: field, to: &self)
    }

    /// An expression, as the repeated field of its steps.
    mutating func put(_ field: UInt64, expression: QueryExpression) throws(WireError) {
        var steps = PredicateWriter()
        try steps.write(expression, as: field, to: &self)
    }
}
