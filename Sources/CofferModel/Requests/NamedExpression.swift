/// A value that a dictionary of a fetch holds under a name of its own.
///
/// `sum:`, `count:`, `min:`, `max:` and `average:` of a single value, as in `sum:(price)`, are of all objects
/// of a group; of a to-many key path, as in `sum:(lines.price)`, they are of one object.
public struct NamedExpression: Sendable, Hashable {
    /// The key in the dictionary.
    public var name: String
    /// The value.
    public var expression: QueryExpression
    /// The type it is given as; `nil` for the one that the expression has: what is computed of integers is an
    /// integer, all else a double.
    ///
    /// An integer that has more than 64 bits is an error of the fetch; as `.double` it is the nearest one.
    public var type: AttributeType?

    /// An expression under a name.
    public init(_ name: String, _ expression: QueryExpression, type: AttributeType? = nil) {
        self.name = name
        self.expression = expression
        self.type = type
    }

    /// An expression, written as on one side of a comparison, under a name.
    ///
    /// - Throws: `QueryError`, with the place in `format` and what was expected there.
    public init(
        _ name: String, format: String, _ arguments: any QueryArgument..., type: AttributeType? = nil
    ) throws(QueryError) {
        self.init(name, try QueryExpression(format: format, arguments: arguments), type: type)
    }
}

extension NamedExpression {
    /// The type of the value; `nil` for an object.
    ///
    /// - Throws: `QueryError` if the expression does not fit the entity, or gives several values.
    package func valueType(
        for entity: EntityDescription, in model: ManagedObjectModel
    ) throws(QueryError) -> AttributeType? {
        var check = PredicateCheck(entity: entity, model: model)
        let shape = try check.typed(of: expression)
        guard !shape.isMany else {
            throw .invalidKeyPath(
                expression.format, entity: entity.name,
                reason: "gives several values, and a dictionary holds one for '\(name)'")
        }
        if case .object = shape.kind { return nil }
        if let type { return type }
        return try check.valueType(of: expression, shape)
    }
}

extension NamedExpression {
    /// The entity of the objects that it gives; `nil` if it gives other values, or does not fit the
    /// entity.
    package func destination(
        for entity: EntityDescription, in model: ManagedObjectModel
    ) -> EntityDescription? {
        var check = PredicateCheck(entity: entity, model: model)
        // Whether it fits is checked with its request.
        guard let shape = try? check.typed(of: expression), case .object(let end) = shape.kind else {
            return nil
        }
        return end
    }
}

extension PredicateCheck {
    /// What an expression gives, which stays as it is.
    mutating func typed(of expression: QueryExpression) throws(QueryError) -> PredicateShape {
        var copy = expression
        return try typed(&copy)
    }

    /// The type that a single value is given as.
    fileprivate mutating func valueType(
        of expression: QueryExpression, _ shape: PredicateShape
    ) throws(QueryError) -> AttributeType {
        switch shape.kind {
        case .null, .mixed, .object: .string
        case .constant(let value): value.type ?? .string
        case .attribute(let type): type
        case .number: try isInteger(expression) ? .integer64 : .double
        }
    }

    private mutating func isInteger(_ expression: QueryExpression) throws(QueryError) -> Bool {
        switch expression {
        case .function(let name, let arguments):
            switch QueryFunction(name: name) {
            case .average, .median, .mode, .standardDeviation, .raise, .squareRoot, .logarithm,
                .naturalLogarithm, .exponential, .cast:
                return false
            default: break
            }
            for argument in arguments where try !isInteger(argument) { return false }
            return true
        case .conditional(_, let then, let otherwise):
            guard try isInteger(then) else { return false }
            return try isInteger(otherwise)
        case .collection(let parts):
            for part in parts where try !isInteger(part) { return false }
            return true
        default:
            var shape = try typed(of: expression)
            if case .mixed(let parts) = shape.kind, let first = parts.first { shape = first }
            return switch shape.kind {
            case .attribute(let type): type.integerRange != nil || type == .boolean
            case .constant(let value): value.type == .integer64 || value.type == .boolean
            case .null: true
            case .mixed, .number, .object: false
            }
        }
    }
}

extension AttributeValue {
    /// The type of an attribute that holds such values; `nil` for null and objects.
    package var type: AttributeType? {
        switch self {
        case .null, .object: nil
        case .integer: .integer64
        case .boolean: .boolean
        case .double: .double
        case .float: .float
        case .decimal: .decimal
        case .string: .string
        case .date: .date
        case .binary: .binary
        case .uuid: .uuid
        case .uri: .uri
        case .transformable: .transformable
        }
    }
}

extension FetchDescription {
    /// Whether `having` may name expressions.
    package var hasNamesToResolve: Bool { having != nil && !expressions.isEmpty }

    /// The description whose `having` says in place of each expression's name what that is.
    package var withNamesResolved: FetchDescription {
        guard let having, !expressions.isEmpty else { return self }
        var result = self
        let named = Dictionary(
            expressions.map { ($0.name, $0.expression) }, uniquingKeysWith: { first, _ in first })
        result.having = having.replacing(named)
        return result
    }
}

extension QueryPredicate {
    fileprivate func replacing(_ named: [String: QueryExpression]) -> QueryPredicate {
        switch self {
        case .always: return self
        case .and(let parts): return .and(parts.map { $0.replacing(named) })
        case .or(let parts): return .or(parts.map { $0.replacing(named) })
        case .not(let part): return .not(part.replacing(named))
        case .comparison(var comparison):
            comparison.left = comparison.left.replacing(named)
            comparison.right = comparison.right.replacing(named)
            return .comparison(comparison)
        }
    }
}

extension QueryExpression {
    /// What stands inside of a subquery is about its elements, which have no such names.
    fileprivate func replacing(_ named: [String: QueryExpression]) -> QueryExpression {
        switch self {
        case .constant, .evaluatedObject, .variable, .subquery: self
        case .keyPath(let keys): keys.count == 1 ? named[keys[0]] ?? self : self
        case .collection(let parts): .collection(parts.map { $0.replacing(named) })
        case .function(let name, let parts): .function(name, parts.map { $0.replacing(named) })
        case .conditional(let predicate, let then, let otherwise):
            .conditional(
                predicate.replacing(named), then: then.replacing(named), otherwise: otherwise.replacing(named)
            )
        }
    }
}
