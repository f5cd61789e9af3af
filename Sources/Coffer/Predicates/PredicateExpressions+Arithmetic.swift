import CofferModel
import FoundationEssentials

extension PredicateExpressions.Arithmetic: PredicateTermSource {
    func term(in translation: inout PredicateTranslation) throws(QueryError) -> PredicateTerm {
        try PredicateTranslation.checkExact(Output.self)
        switch op {
        case .add: return try translation.function("add:to:", lhs, rhs)
        case .subtract: return try translation.function("from:subtract:", lhs, rhs)
        case .multiply: return try translation.function("multiply:by:", lhs, rhs)
        @unknown default: throw .invalidOperand("an operation is not known here")
        }
    }
}

extension PredicateTranslation {
    /// Refuses numbers with which stores compute otherwise than Swift.
    fileprivate static func checkExact(_ type: Any.Type) throws(QueryError) {
        guard type == Double.self || type is any FixedWidthInteger.Type else {
            throw .invalidOperand("stores compute with integers and Double as Swift does, not with \(type)")
        }
    }
}

extension PredicateExpressions.UnaryMinus: PredicateTermSource {
    func term(in translation: inout PredicateTranslation) throws(QueryError) -> PredicateTerm {
        let value = try translation.expression(wrapped)
        let factor: AttributeValue = Output.self is any FixedWidthInteger.Type ? .integer(-1) : .double(-1)
        var operand = PredicateOperand(.function("multiply:by:", [value, .constant(factor)]), null: .never)
        operand.mayBeNaN = true
        return .operand(operand)
    }
}

extension PredicateExpressions.FloatDivision: PredicateTermSource {
    /// Only by a constant: what is divided by zero is infinite in Swift, and null in a store.
    func term(in translation: inout PredicateTranslation) throws(QueryError) -> PredicateTerm {
        try PredicateTranslation.checkExact(Output.self)
        guard let divisor = try translation.operand(rhs).constant?.doubleValue, divisor != 0 else {
            throw .invalidOperand("a number is divided by what may be 0: multiply the other side by it")
        }
        return try translation.function("divide:by:", lhs, rhs)
    }
}

extension PredicateExpressions.IntDivision: PredicateTermSource {
    func term(in translation: inout PredicateTranslation) throws(QueryError) -> PredicateTerm {
        try translation.function("divide:by:", lhs, rhs)
    }
}

extension PredicateExpressions.IntRemainder: PredicateTermSource {
    func term(in translation: inout PredicateTranslation) throws(QueryError) -> PredicateTerm {
        try translation.function("modulus:by:", lhs, rhs)
    }
}
