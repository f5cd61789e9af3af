import CofferModel
import FoundationEssentials

extension PredicateExpressions.SequenceContains: PredicateTermSource {
    func term(in translation: inout PredicateTranslation) throws(QueryError) -> PredicateTerm {
        switch try translation.term(of: sequence) {
        case .constants(let values): return .predicate(try translation.operand(element).isOne(of: values))
        case .objects(let objects):
            return .predicate(.compare(try translation.expression(element), .in, objects))
        case .range(let lower, let upper, let isClosed):
            return .predicate(
                try translation.isWithin(
                    from: lower, to: upper, isClosed: isClosed, element, of: RHS.Output.self))
        case let term:
            throw .invalidOperand("\(term.name) has no elements of type \(RHS.Output.self) in a store")
        }
    }
}

extension PredicateExpressions.SequenceContainsWhere: PredicateTermSource {
    func term(in translation: inout PredicateTranslation) throws(QueryError) -> PredicateTerm {
        if case .constants(let values) = try translation.term(of: sequence) {
            return .predicate(.or(try translation.conditions(test, of: variable.key, for: values)))
        }
        let found = try translation.filtered(sequence, variable: variable.key, where: test)
        return .predicate(.compare(try found.counted(), .greater, .constant(.integer(0))))
    }
}

extension PredicateExpressions.SequenceAllSatisfy: PredicateTermSource {
    func term(in translation: inout PredicateTranslation) throws(QueryError) -> PredicateTerm {
        if case .constants(let values) = try translation.term(of: sequence) {
            return .predicate(.and(try translation.conditions(test, of: variable.key, for: values)))
        }
        let found = try translation.filtered(sequence, variable: variable.key, where: test, isNegated: true)
        return .predicate(.compare(try found.counted(), .equal, .constant(.integer(0))))
    }
}

extension PredicateExpressions.Filter: PredicateTermSource {
    func term(in translation: inout PredicateTranslation) throws(QueryError) -> PredicateTerm {
        .objects(try translation.filtered(sequence, variable: variable.key, where: filter))
    }
}

extension PredicateTranslation {
    /// The objects of a relationship for which `part` holds, or does not hold if `isNegated`.
    fileprivate mutating func filtered(
        _ sequence: Any, variable: PredicateExpressions.VariableID, where part: Any, isNegated: Bool = false
    ) throws(QueryError) -> QueryExpression {
        let term = try term(of: sequence)
        guard case .objects(let objects) = term else {
            throw .invalidOperand("the elements of \(term.name) cannot be asked for in a store")
        }
        let name = bindElement(variable)
        let condition = try predicate(part)
        return .subquery(
            collection: objects, variable: name, predicate: isNegated ? condition.negated : condition,
            keyPath: [])
    }

    /// What `part` demands of each of some values that were captured.
    fileprivate mutating func conditions(
        _ part: Any, of variable: PredicateExpressions.VariableID, for values: [AttributeValue]
    ) throws(QueryError) -> [QueryPredicate] {
        var conditions: [QueryPredicate] = []
        for value in values {
            bind(variable, to: PredicateOperand(value))
            conditions.append(try predicate(part))
        }
        return conditions
    }
}

extension QueryExpression {
    fileprivate func counted() throws(QueryError) -> QueryExpression {
        guard let count = appending(CollectionOperator.count.rawValue) else {
            throw .invalidOperand("what is counted is not a relationship")
        }
        return count
    }
}

extension PredicateExpressions.CollectionContainsCollection: PredicateTermSource {
    func term(in translation: inout PredicateTranslation) throws(QueryError) -> PredicateTerm {
        try translation.checkTexts(of: "contains", Base.Output.self, Other.Output.self)
        return .predicate(try translation.operand(base).compared(.contains, translation.operand(other)))
    }
}

extension PredicateExpressions.SequenceStartsWith: PredicateTermSource {
    func term(in translation: inout PredicateTranslation) throws(QueryError) -> PredicateTerm {
        try translation.checkTexts(of: "starts(with:)", Base.Output.self, Prefix.Output.self)
        return .predicate(try translation.operand(base).compared(.beginsWith, translation.operand(prefix)))
    }
}

extension PredicateTranslation {
    fileprivate func checkTexts(of name: String, _ first: Any.Type, _ second: Any.Type) throws(QueryError) {
        guard first == String.self, second == String.self else {
            throw .invalidOperand(
                "'\(name)' is asked of \(first) and \(second), where stores know texts only")
        }
    }
}

extension PredicateExpressions.ClosedRange: PredicateTermSource {
    func term(in translation: inout PredicateTranslation) throws(QueryError) -> PredicateTerm {
        .range(lower: try translation.operand(lower), upper: try translation.operand(upper), isClosed: true)
    }
}

extension PredicateExpressions.Range: PredicateTermSource {
    func term(in translation: inout PredicateTranslation) throws(QueryError) -> PredicateTerm {
        .range(lower: try translation.operand(lower), upper: try translation.operand(upper), isClosed: false)
    }
}

extension PredicateExpressions.RangeExpressionContains: PredicateTermSource {
    func term(in translation: inout PredicateTranslation) throws(QueryError) -> PredicateTerm {
        let term = try translation.term(of: range)
        guard case .range(let lower, let upper, let isClosed) = term else {
            throw .invalidOperand("\(term.name) stands where a range is needed")
        }
        return .predicate(
            try translation.isWithin(
                from: lower, to: upper, isClosed: isClosed, element, of: Element.Output.self))
    }
}

extension PredicateTranslation {
    /// Whether a part lies within a range.
    fileprivate mutating func isWithin(
        from lower: PredicateOperand?, to upper: PredicateOperand?, isClosed: Bool, _ part: Any,
        of type: Any.Type
    ) throws(QueryError) -> QueryPredicate {
        try Self.checkOrder(of: type)
        let value = try operand(part)
        let isAbove = try lower.map { bound throws(QueryError) in try value.compared(.greaterOrEqual, bound) }
        let isBelow = try upper.map { bound throws(QueryError) in
            try value.compared(isClosed ? .lessOrEqual : .less, bound)
        }
        return .and([isAbove, isBelow].compactMap(\.self))
    }
}
