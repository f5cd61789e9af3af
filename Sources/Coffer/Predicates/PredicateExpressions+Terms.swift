import CofferModel
import FoundationEssentials

extension PredicateExpressions.Variable: PredicateTermSource {
    func term(in translation: inout PredicateTranslation) throws(QueryError) -> PredicateTerm {
        .expression(try translation.expression(of: key))
    }
}

extension PredicateExpressions.Value: PredicateTermSource {
    func term(in translation: inout PredicateTranslation) throws(QueryError) -> PredicateTerm {
        if let argument = value as? any QueryArgument { return .expression(argument.queryExpression) }
        if let value = value as? any AttributeConvertible {
            return .expression(.constant(value.attributeValue))
        }
        if let values = value as? [any AttributeConvertible] {
            return .expression(.collection(values.map { .constant($0.attributeValue) }))
        }
        throw .invalidOperand("a value of type \(Output.self) cannot be kept in an attribute")
    }
}

extension PredicateExpressions.NilLiteral: PredicateTermSource {
    func term(in translation: inout PredicateTranslation) -> PredicateTerm { .expression(.constant(.null)) }
}

extension PredicateExpressions.KeyPath: PredicateTermSource {
    func term(in translation: inout PredicateTranslation) throws(QueryError) -> PredicateTerm {
        let base = try translation.expression(root)
        if let related = Root.Output.self as? any RelatedCollection.Type {
            return try Self.counted(base.appending("@count"), related.keyPaths, keyPath)
        }
        if Root.Output.self == String.self {
            return try Self.counted(
                .function("length:", [base]), (\String.count, \String.isEmpty), keyPath)
        }
        let name = try translation.name(of: keyPath, in: Root.Output.self)
        guard let path = base.appending(name) else {
            throw .invalidOperand("'\(name)' is asked of what is no object")
        }
        return .expression(path)
    }

    private static func counted(
        _ count: QueryExpression?, _ known: (count: AnyKeyPath, isEmpty: AnyKeyPath), _ keyPath: AnyKeyPath
    ) throws(QueryError) -> PredicateTerm {
        guard let count else { throw .invalidOperand("\(keyPath) is asked of what is no collection") }
        if keyPath == known.count { return .expression(count) }
        guard keyPath == known.isEmpty else { throw .invalidOperand("\(keyPath) has no meaning for a store") }
        return .predicate(.compare(count, .equal, .constant(.integer(0))))
    }
}

/// A to-many relationship, whatever its objects are.
private protocol RelatedCollection {
    static var keyPaths: (count: AnyKeyPath, isEmpty: AnyKeyPath) { get }
}

extension RelatedObjects: RelatedCollection {
    fileprivate static var keyPaths: (count: AnyKeyPath, isEmpty: AnyKeyPath) {
        (\RelatedObjects<Object>.count, \RelatedObjects<Object>.isEmpty)
    }
}

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
        .predicate(.not(try translation.predicate(wrapped)))
    }
}

extension PredicateExpressions.Equal: PredicateTermSource {
    func term(in translation: inout PredicateTranslation) throws(QueryError) -> PredicateTerm {
        try translation.comparison(lhs, .equal, rhs)
    }
}

extension PredicateExpressions.NotEqual: PredicateTermSource {
    func term(in translation: inout PredicateTranslation) throws(QueryError) -> PredicateTerm {
        try translation.comparison(lhs, .notEqual, rhs)
    }
}

extension PredicateExpressions.Comparison: PredicateTermSource {
    func term(in translation: inout PredicateTranslation) throws(QueryError) -> PredicateTerm {
        let word: QueryComparison.Operator =
            switch op {
            case .lessThan: .less
            case .lessThanOrEqual: .lessOrEqual
            case .greaterThan: .greater
            case .greaterThanOrEqual: .greaterOrEqual
            @unknown default: throw .invalidOperand("a comparison is not known here")
            }
        return try translation.comparison(lhs, word, rhs)
    }
}

extension PredicateExpressions.Conditional: PredicateTermSource {
    func term(in translation: inout PredicateTranslation) throws(QueryError) -> PredicateTerm {
        .expression(
            .conditional(
                try translation.predicate(test), then: try translation.expression(trueBranch),
                otherwise: try translation.expression(falseBranch)))
    }
}

extension PredicateExpressions.OptionalFlatMap: PredicateTermSource {
    /// What is wrapped is null, or its property is: both are null in a key path.
    func term(in translation: inout PredicateTranslation) throws(QueryError) -> PredicateTerm {
        let value = try translation.expression(wrapped)
        translation.bind(variable.key, to: value)
        switch try translation.term(of: transform) {
        case .predicate(let predicate):
            return .predicate(.compare(value, .notEqual, .constant(.null)) && predicate)
        case let other: return other
        }
    }
}

extension PredicateExpressions.ForcedUnwrap: PredicateTermSource {
    func term(in translation: inout PredicateTranslation) throws(QueryError) -> PredicateTerm {
        .expression(try translation.expression(inner))
    }
}

extension PredicateExpressions.NilCoalesce: PredicateTermSource {
    func term(in translation: inout PredicateTranslation) throws(QueryError) -> PredicateTerm {
        let value = try translation.expression(lhs)
        return .expression(
            .conditional(
                .compare(value, .notEqual, .constant(.null)), then: value,
                otherwise: try translation.expression(rhs)))
    }
}
