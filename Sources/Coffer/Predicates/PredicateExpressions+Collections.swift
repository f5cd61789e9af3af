import CofferModel
import FoundationEssentials

extension PredicateExpressions.SequenceContains: PredicateTermSource {
    func term(in translation: inout PredicateTranslation) throws(QueryError) -> PredicateTerm {
        try translation.comparison(element, .in, sequence)
    }
}

extension PredicateExpressions.SequenceContainsWhere: PredicateTermSource {
    func term(in translation: inout PredicateTranslation) throws(QueryError) -> PredicateTerm {
        let count = try translation.matchCount(sequence, variable.key, test)
        return .predicate(.compare(count, .greater, .constant(.integer(0))))
    }
}

extension PredicateExpressions.SequenceAllSatisfy: PredicateTermSource {
    func term(in translation: inout PredicateTranslation) throws(QueryError) -> PredicateTerm {
        let count = try translation.matchCount(sequence, variable.key, test, isNegated: true)
        return .predicate(.compare(count, .equal, .constant(.integer(0))))
    }
}

extension PredicateExpressions.CollectionContainsCollection: PredicateTermSource {
    func term(in translation: inout PredicateTranslation) throws(QueryError) -> PredicateTerm {
        try translation.comparison(base, .contains, other)
    }
}

extension PredicateExpressions.SequenceStartsWith: PredicateTermSource {
    func term(in translation: inout PredicateTranslation) throws(QueryError) -> PredicateTerm {
        try translation.comparison(base, .beginsWith, prefix)
    }
}

extension PredicateExpressions.ClosedRange: PredicateTermSource {
    func term(in translation: inout PredicateTranslation) throws(QueryError) -> PredicateTerm {
        .range(try translation.expression(lower), try translation.expression(upper), isClosed: true)
    }
}

extension PredicateExpressions.Range: PredicateTermSource {
    func term(in translation: inout PredicateTranslation) throws(QueryError) -> PredicateTerm {
        .range(try translation.expression(lower), try translation.expression(upper), isClosed: false)
    }
}

extension PredicateExpressions.RangeExpressionContains: PredicateTermSource {
    func term(in translation: inout PredicateTranslation) throws(QueryError) -> PredicateTerm {
        let (low, high, isClosed) = try translation.range(range)
        let value = try translation.expression(element)
        return .predicate(
            .compare(value, .greaterOrEqual, low) && .compare(value, isClosed ? .lessOrEqual : .less, high))
    }
}

extension PredicateExpressions.Arithmetic: PredicateTermSource {
    func term(in translation: inout PredicateTranslation) throws(QueryError) -> PredicateTerm {
        switch op {
        case .add: try translation.function("add:to:", lhs, rhs)
        case .subtract: try translation.function("from:subtract:", lhs, rhs)
        case .multiply: try translation.function("multiply:by:", lhs, rhs)
        @unknown default: throw .invalidOperand("an operation is not known here")
        }
    }
}

extension PredicateExpressions.FloatDivision: PredicateTermSource {
    func term(in translation: inout PredicateTranslation) throws(QueryError) -> PredicateTerm {
        try translation.function("divide:by:", lhs, rhs)
    }
}

extension PredicateExpressions.IntRemainder: PredicateTermSource {
    func term(in translation: inout PredicateTranslation) throws(QueryError) -> PredicateTerm {
        try translation.function("modulus:by:", lhs, rhs)
    }
}
