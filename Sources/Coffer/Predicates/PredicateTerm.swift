import CofferModel
import FoundationEssentials

/// A part of a predicate of Foundation, in our words.
enum PredicateTerm {
    /// A value, which may be optional.
    case operand(PredicateOperand)
    /// What holds or does not.
    case predicate(QueryPredicate)
    /// What holds or does not if `isThere` holds, and else is `nil`.
    case optionalPredicate(isThere: QueryPredicate, QueryPredicate)
    /// The objects that a relationship, or a part of it, has.
    case objects(QueryExpression)
    /// Values that were captured.
    case constants([AttributeValue])
    /// Two bounds, of which one may be missing; the upper one belongs to it if `isClosed`.
    case range(lower: PredicateOperand?, upper: PredicateOperand?, isClosed: Bool)
    /// The UTF-16 units of a text.
    case units(PredicateOperand)

    /// What it is called in errors.
    var name: String {
        switch self {
        case .operand: "a value"
        case .predicate: "a condition"
        case .optionalPredicate: "an optional condition"
        case .objects: "objects of a relationship"
        case .constants: "a list of values"
        case .range: "a range"
        case .units: "the units of a text"
        }
    }

    /// The term as a value.
    func operand() throws(QueryError) -> PredicateOperand {
        switch self {
        case .operand(let operand): return operand
        case .predicate(let condition): return PredicateOperand(condition)
        case .optionalPredicate(let isThere, let condition):
            var operand = PredicateOperand(condition)
            operand.presence = isThere
            return operand
        case .objects, .constants, .range, .units:
            throw .invalidOperand("\(name) stands where a value is needed")
        }
    }
}

/// Part of a predicate of Foundation that has a meaning for stores, or is refused by its name.
protocol PredicateTermSource {
    /// The part in our words.
    func term(in translation: inout PredicateTranslation) throws(QueryError) -> PredicateTerm
}

/// The state of translating one predicate of Foundation.
struct PredicateTranslation {
    private let model: ManagedObjectModel
    private var variables: [PredicateExpressions.VariableID: PredicateOperand] = [:]
    private var variableCount = 0

    init(model: ManagedObjectModel) { self.model = model }

    /// Lets a variable stand for a value.
    mutating func bind(_ variable: PredicateExpressions.VariableID, to operand: PredicateOperand) {
        variables[variable] = operand
    }

    /// Lets a variable stand for one element of a collection; the name is that of the variable of a
    /// `SUBQUERY`.
    mutating func bindElement(_ variable: PredicateExpressions.VariableID) -> String {
        variableCount += 1
        let name = "x\(variableCount)"
        variables[variable] = PredicateOperand(.variable(name, keyPath: []), null: .never)
        return name
    }

    /// What a variable stands for.
    func operand(of variable: PredicateExpressions.VariableID) throws(QueryError) -> PredicateOperand {
        guard let operand = variables[variable] else {
            throw .invalidOperand("it has a variable of another predicate")
        }
        return operand
    }

    /// The name of the property that a key path of a class leads to.
    func name(of keyPath: AnyKeyPath, in type: Any.Type) throws(QueryError) -> String {
        guard let type = type as? ManagedObject.Type, let name = model.keyPathNames(type)[keyPath] else {
            throw .invalidOperand(
                "the model knows no property of \(type) for a key path to \(Swift.type(of: keyPath).valueType)"
            )
        }
        return name
    }

    /// What a property that is not optional gives if it is null: the model's default, else what its type
    /// says.
    func valueForNull(
        of name: String, in owner: Any.Type, as type: any AttributeConvertible.Type
    ) -> AttributeValue {
        func value<Value: AttributeConvertible>(_: Value.Type) -> AttributeValue {
            let owner = owner as? ManagedObject.Type
            let entityName = model.objectClasses.first { $0.value == owner }?.key ?? owner?.entityName
            let attribute = entityName.flatMap(model.entity(named:))?.property(named: name)?.attribute
            let read = attribute.flatMap { Value(attributeValue: $0.defaultValue) }
            return (read ?? Value.valueForNull).attributeValue
        }
        return value(type)
    }
}

extension PredicateTranslation {
    /// A part of any kind.
    mutating func term(of part: Any) throws(QueryError) -> PredicateTerm {
        guard let source = part as? any PredicateTermSource else {
            let name = "\(Swift.type(of: part))".prefix { $0 != "<" }
            throw .invalidOperand("\(name) has no meaning for a store")
        }
        return try source.term(in: &self)
    }

    /// A part that has a value.
    mutating func operand(_ part: Any) throws(QueryError) -> PredicateOperand { try term(of: part).operand() }

    /// A part that has a value in each object.
    mutating func expression(_ part: Any) throws(QueryError) -> QueryExpression { try operand(part).whole }

    /// A part that holds or does not.
    mutating func predicate(_ part: Any) throws(QueryError) -> QueryPredicate {
        switch try term(of: part) {
        case .predicate(let predicate): return predicate
        case .operand(let operand): return operand.isEqual(to: PredicateOperand(.boolean(true)))
        case let term: throw .invalidOperand("\(term.name) stands where a condition is needed")
        }
    }

    /// A part that holds, does not, or is `nil`; `isThere` is `nil` if it never is.
    mutating func optionalPredicate(
        _ part: Any
    ) throws(QueryError) -> (isThere: QueryPredicate?, holds: QueryPredicate) {
        switch try term(of: part) {
        case .predicate(let predicate): return (nil, predicate)
        case .optionalPredicate(let isThere, let predicate): return (isThere, isThere && predicate)
        case .operand(let operand):
            let holds = operand.isEqual(to: PredicateOperand(.boolean(true)))
            if case .always(true) = operand.isThere { return (nil, holds) }
            return (operand.isThere, holds)
        case let term: throw .invalidOperand("\(term.name) stands where a condition is needed")
        }
    }

    /// A function of parts whose value is never null, but for what is not a number.
    mutating func function(_ name: String, _ parts: Any...) throws(QueryError) -> PredicateTerm {
        var arguments: [QueryExpression] = []
        for part in parts { arguments.append(try expression(part)) }
        var operand = PredicateOperand(.function(name, arguments), null: .never)
        operand.mayBeNaN = true
        return .operand(operand)
    }
}

extension QueryPredicate {
    /// It does not hold; of what is fixed the opposite.
    var negated: QueryPredicate { if case .always(let value) = self { .always(!value) } else { .not(self) } }
}
