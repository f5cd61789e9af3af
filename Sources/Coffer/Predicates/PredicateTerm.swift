import CofferModel
import FoundationEssentials

/// A part of a predicate of Foundation, in our words.
enum PredicateTerm {
    /// A value, or what has one in an object.
    case expression(QueryExpression)
    /// What holds or does not.
    case predicate(QueryPredicate)
    /// Two bounds; the upper one belongs to it where `isClosed`.
    case range(QueryExpression, QueryExpression, isClosed: Bool)
}

/// Part of a predicate of Foundation that has a meaning for stores.
protocol PredicateTermSource {
    /// The part in our words.
    func term(in translation: inout PredicateTranslation) throws(QueryError) -> PredicateTerm
}

/// The state of translating one predicate of Foundation.
struct PredicateTranslation {
    private let model: ManagedObjectModel
    private var variables: [PredicateExpressions.VariableID: QueryExpression] = [:]
    private var variableCount = 0

    init(model: ManagedObjectModel) { self.model = model }

    /// Lets a variable stand for an expression.
    mutating func bind(_ variable: PredicateExpressions.VariableID, to expression: QueryExpression) {
        variables[variable] = expression
    }

    /// Lets a variable stand for one element of a collection; the name is that of the variable of a `SUBQUERY`.
    mutating func bindElement(_ variable: PredicateExpressions.VariableID) -> String {
        variableCount += 1
        let name = "x\(variableCount)"
        variables[variable] = .variable(name, keyPath: [])
        return name
    }

    /// What a variable stands for.
    func expression(of variable: PredicateExpressions.VariableID) throws(QueryError) -> QueryExpression {
        guard let expression = variables[variable] else {
            throw .invalidOperand("it has a variable of another predicate")
        }
        return expression
    }

    /// The name of the property that a key path of a class leads to.
    func name(of keyPath: AnyKeyPath, in type: Any.Type) throws(QueryError) -> String {
        guard let type = type as? ManagedObject.Type, let name = model.keyPathNames(type)[keyPath] else {
            throw .invalidOperand("the model knows no property for the key path \(keyPath)")
        }
        return name
    }
}

extension PredicateTranslation {
    /// A part of any kind.
    mutating func term(of part: Any) throws(QueryError) -> PredicateTerm {
        guard let source = part as? any PredicateTermSource else {
            throw .invalidOperand("\(Swift.type(of: part)) has no meaning for a store")
        }
        return try source.term(in: &self)
    }

    /// A part that has a value.
    mutating func expression(_ part: Any) throws(QueryError) -> QueryExpression {
        switch try term(of: part) {
        case .expression(let expression): return expression
        case .predicate(let predicate):
            return .conditional(
                predicate, then: .constant(.boolean(true)), otherwise: .constant(.boolean(false)))
        case .range: throw .invalidOperand("a range stands where a value is needed")
        }
    }

    /// A part that holds or does not.
    mutating func predicate(_ part: Any) throws(QueryError) -> QueryPredicate {
        switch try term(of: part) {
        case .predicate(let predicate): return predicate
        case .expression(.constant(.boolean(let value))): return .always(value)
        case .expression(let expression): return .compare(expression, .equal, .constant(.boolean(true)))
        case .range: throw .invalidOperand("a range stands where a condition is needed")
        }
    }

    /// A part that is a range of values.
    mutating func range(_ part: Any) throws(QueryError) -> (QueryExpression, QueryExpression, isClosed: Bool)
    {
        guard case .range(let low, let high, let isClosed) = try term(of: part) else {
            throw .invalidOperand("a range is needed")
        }
        return (low, high, isClosed)
    }

    /// Two parts compared.
    mutating func comparison(
        _ left: Any, _ operator: QueryComparison.Operator, _ right: Any
    ) throws(QueryError) -> PredicateTerm {
        .predicate(.compare(try expression(left), `operator`, try expression(right)))
    }

    /// A function of parts.
    mutating func function(_ name: String, _ parts: Any...) throws(QueryError) -> PredicateTerm {
        var arguments: [QueryExpression] = []
        for part in parts { arguments.append(try expression(part)) }
        return .expression(.function(name, arguments))
    }

    /// The number of elements of a collection for which `part` holds, or does not where `isNegated`.
    mutating func matchCount(
        _ collection: Any, _ variable: PredicateExpressions.VariableID, _ part: Any, isNegated: Bool = false
    ) throws(QueryError) -> QueryExpression {
        let elements = try expression(collection)
        let name = bindElement(variable)
        let condition = try predicate(part)
        return .subquery(
            collection: elements, variable: name, predicate: isNegated ? .not(condition) : condition,
            keyPath: ["@count"])
    }
}

extension QueryExpression {
    /// The expression, and one key more behind it; `nil` where none can stand there.
    func appending(_ key: String) -> QueryExpression? {
        switch self {
        case .evaluatedObject: .keyPath([key])
        case .keyPath(let keys): .keyPath(keys + [key])
        case .variable(let name, let keys): .variable(name, keyPath: keys + [key])
        case .subquery(let collection, let variable, let predicate, let keys):
            .subquery(collection: collection, variable: variable, predicate: predicate, keyPath: keys + [key])
        case .constant, .collection, .function, .conditional: nil
        }
    }
}
