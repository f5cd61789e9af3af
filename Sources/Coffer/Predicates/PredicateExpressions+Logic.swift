import CofferModel
import FoundationEssentials

extension PredicateExpressions.Conjunction: PredicateTermSource {
    func term(in translation: inout PredicateTranslation) throws(QueryError) -> PredicateTerm {
        .predicate(try translation.predicate(lhs) && translation.predicate(rhs))
    }
}

extension PredicateExpressions.Disjunction: PredicateTermSource {
    func term(in translation: inout PredicateTranslation) throws(QueryError) -> PredicateTerm {
        .predicate(try translation.predicate(lhs) || translation.predicate(rhs))
    }
}

extension PredicateExpressions.Negation: PredicateTermSource {
    func term(in translation: inout PredicateTranslation) throws(QueryError) -> PredicateTerm {
        .predicate(try translation.predicate(wrapped).negated)
    }
}

extension PredicateExpressions.Equal: PredicateTermSource {
    func term(in translation: inout PredicateTranslation) throws(QueryError) -> PredicateTerm {
        .predicate(try translation.equal(lhs, rhs))
    }
}

extension PredicateExpressions.NotEqual: PredicateTermSource {
    func term(in translation: inout PredicateTranslation) throws(QueryError) -> PredicateTerm {
        switch try translation.equal(lhs, rhs) {
        case .comparison(var comparison) where comparison.operator == .equal:
            comparison.operator = .notEqual
            return .predicate(.comparison(comparison))
        case let condition: return .predicate(condition.negated)
        }
    }
}

extension PredicateTranslation {
    /// Whether two parts are equal, or both `nil`.
    fileprivate mutating func equal(_ left: Any, _ right: Any) throws(QueryError) -> QueryPredicate {
        let (first, second) = (try term(of: left), try term(of: right))
        if let condition = first.condition(equalTo: second) ?? second.condition(equalTo: first) {
            return condition
        }
        return try first.operand().isEqual(to: second.operand())
    }
}

extension PredicateTerm {
    /// What a condition compared with a constant is: the condition, or its opposite; `nil` if the two are
    /// something else.
    fileprivate func condition(equalTo other: PredicateTerm) -> QueryPredicate? {
        guard case .operand(let operand) = other, let value = operand.constant else { return nil }
        switch (self, value) {
        case (.predicate(let condition), .boolean(let value)):
            return value ? condition : condition.negated
        case (.predicate, .null): return .always(false)
        case (.optionalPredicate(let isThere, let condition), .boolean(let value)):
            return isThere && (value ? condition : condition.negated)
        case (.optionalPredicate(let isThere, _), .null): return isThere.negated
        default: return nil
        }
    }
}

extension PredicateExpressions.Comparison: PredicateTermSource {
    func term(in translation: inout PredicateTranslation) throws(QueryError) -> PredicateTerm {
        let (word, flipped): (QueryComparison.Operator, QueryComparison.Operator) =
            switch op {
            case .lessThan: (.less, .greater)
            case .lessThanOrEqual: (.lessOrEqual, .greaterOrEqual)
            case .greaterThan: (.greater, .less)
            case .greaterThanOrEqual: (.greaterOrEqual, .lessOrEqual)
            @unknown default: throw .invalidOperand("a comparison is not known here")
            }
        try PredicateTranslation.checkOrder(of: LHS.Output.self)
        let (left, right) = (try translation.operand(lhs), try translation.operand(rhs))
        if left.constant != nil { return .predicate(try right.compared(flipped, left)) }
        return .predicate(try left.compared(word, right))
    }
}

extension PredicateTranslation {
    /// Refuses types that may have an order of their own.
    static func checkOrder(of type: Any.Type) throws(QueryError) {
        guard orderedTypes.contains(ObjectIdentifier(type)) else {
            throw .invalidOperand("values of type \(type) have no order in a store")
        }
    }

    private static let orderedTypes = Set(
        [
            Int.self, Int64.self, Int32.self, Int16.self, Int8.self, Double.self, Float.self, Decimal.self,
            String.self, Date.self, UUID.self,
        ].map { (type: Any.Type) in ObjectIdentifier(type) })
}

extension PredicateExpressions.Conditional: PredicateTermSource {
    func term(in translation: inout PredicateTranslation) throws(QueryError) -> PredicateTerm {
        let test = try translation.predicate(test)
        if Output.self == Bool.self || Output.self == Bool?.self {
            let first = try translation.optionalPredicate(trueBranch)
            let second = try translation.optionalPredicate(falseBranch)
            func chosen(_ a: QueryPredicate, _ b: QueryPredicate) -> QueryPredicate {
                test && a || test.negated && b
            }
            let holds = chosen(first.holds, second.holds)
            if first.isThere == nil && second.isThere == nil { return .predicate(holds) }
            return .optionalPredicate(
                isThere: chosen(first.isThere ?? .always(true), second.isThere ?? .always(true)), holds)
        }
        let (first, second) = (try translation.operand(trueBranch), try translation.operand(falseBranch))
        var operand = PredicateOperand(
            .conditional(test, then: first.whole, otherwise: second.whole), null: .isNil)
        if case (.always(true), .always(true)) = (first.isThere, second.isThere) { operand.null = .never }
        operand.mayBeNaN = first.mayBeNaN || second.mayBeNaN
        return .operand(operand)
    }
}

extension PredicateExpressions.OptionalFlatMap: PredicateTermSource {
    func term(in translation: inout PredicateTranslation) throws(QueryError) -> PredicateTerm {
        let value = try translation.operand(wrapped)
        translation.bind(variable.key, to: value.unwrapped)
        switch try translation.term(of: transform) {
        case .operand(let inner): return .operand(value.flatMapped(to: inner))
        case .predicate(let condition): return .optionalPredicate(isThere: value.isThere, condition)
        case .optionalPredicate(let isThere, let condition):
            return .optionalPredicate(isThere: value.isThere && isThere, condition)
        case let term: throw .invalidOperand("\(term.name) of what may be nil has no meaning for a store")
        }
    }
}

extension PredicateExpressions.ForcedUnwrap: PredicateTermSource {
    func term(in translation: inout PredicateTranslation) throws(QueryError) -> PredicateTerm {
        switch try translation.term(of: inner) {
        case .operand(let operand): .operand(operand.unwrapped)
        case .optionalPredicate(_, let condition): .predicate(condition)
        case let term: term
        }
    }
}

extension PredicateExpressions.NilCoalesce: PredicateTermSource {
    func term(in translation: inout PredicateTranslation) throws(QueryError) -> PredicateTerm {
        guard Output.self == Bool.self || Output.self == Bool?.self else {
            return .operand(try translation.operand(lhs).orElse(translation.operand(rhs)))
        }
        let first = try translation.optionalPredicate(lhs)
        let second = try translation.optionalPredicate(rhs)
        guard let isThere = first.isThere else { return .predicate(first.holds) }
        let holds =
            switch second.holds {
            case .always(false): first.holds
            case .always(true): first.holds || isThere.negated
            default: first.holds || isThere.negated && second.holds
            }
        guard let isOtherThere = second.isThere else { return .predicate(holds) }
        return .optionalPredicate(isThere: isThere || isOtherThere, holds)
    }
}
