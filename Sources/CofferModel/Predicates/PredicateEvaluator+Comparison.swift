import FoundationEssentials

extension PredicateEvaluator {
    mutating func holds(_ comparison: QueryComparison) throws(QueryError) -> Bool {
        let left = try value(comparison.left)
        let right = try value(comparison.right)
        // A to-many key path is one null if a to-one relationship before it is.
        let elements = left.isNull ? [] : left.elements
        switch comparison.modifier {
        case .direct: return try compare(left, right, by: comparison)
        case .any:
            for element in elements where try compare(element, right, by: comparison) { return true }
            return false
        case .all:
            for element in elements where try !compare(element, right, by: comparison) { return false }
            return true
        case .none:
            for element in elements where try compare(element, right, by: comparison) { return false }
            return true
        }
    }

    private func compare(
        _ left: Operand, _ right: Operand, by comparison: QueryComparison
    ) throws(QueryError) -> Bool {
        switch (comparison.operator, left, right) {
        case (.between, _, .many(let bounds)): return try between(left, bounds, by: comparison)
        case (.between, _, _): throw .invalidOperand("BETWEEN needs two values")
        case (.in, _, .many(let members)): return contains(members, left, options: comparison.options)
        case (.contains, .many(let members), _): return contains(members, right, options: comparison.options)
        default: break
        }
        guard let leftValue = left.comparable, let rightValue = right.comparable else {
            throw .invalidOperand(
                "\(comparison.operator.spelling) compares single values: use ANY, ALL or NONE")
        }
        return try leftValue.compares(
            comparison.operator, with: rightValue, options: comparison.options)
    }

    private func between(
        _ value: Operand, _ bounds: [Operand], by comparison: QueryComparison
    ) throws(QueryError) -> Bool {
        guard bounds.count == 2, let value = value.comparable, let low = bounds[0].comparable,
            let high = bounds[1].comparable
        else { throw .invalidOperand("BETWEEN needs two values") }
        guard try value.compares(.greaterOrEqual, with: low, options: comparison.options) else {
            return false
        }
        return try value.compares(.lessOrEqual, with: high, options: comparison.options)
    }

    private func contains(
        _ members: [Operand], _ operand: Operand, options: QueryComparison.Options
    ) -> Bool {
        guard let value = operand.comparable else { return false }
        return members.contains { $0.comparable?.isEqual(to: value, options: options) ?? false }
    }
}

extension AttributeValue {
    /// Whether an operator between two single values holds.
    package func compares(
        _ operator: QueryComparison.Operator, with other: AttributeValue, options: QueryComparison.Options
    ) throws(QueryError) -> Bool {
        if isNull || other.isNull {
            return NullSemantics.holds(`operator`, leftIsNull: isNull, rightIsNull: other.isNull)
        }
        switch `operator` {
        case .equal: return isEqual(to: other, options: options)
        case .notEqual: return !isEqual(to: other, options: options)
        case .less, .lessOrEqual, .greater, .greaterOrEqual:
            guard let order = order(with: other, options: options) else {
                throw .invalidOperand("\(kindName) and \(other.kindName) have no order")
            }
            return order.satisfies(`operator`)
        case .beginsWith, .endsWith, .contains, .in, .like, .matches:
            guard let left = textValue, let right = other.textValue else {
                throw .invalidOperand(
                    "\(`operator`.spelling) needs texts, not \(kindName) and \(other.kindName)")
            }
            return try Self.compares(left, `operator`, right, options: options)
        case .between: throw .invalidOperand("BETWEEN needs two values")
        }
    }

    private static func compares(
        _ left: String, _ operator: QueryComparison.Operator, _ right: String,
        options: QueryComparison.Options
    ) throws(QueryError) -> Bool {
        switch `operator` {
        case .like: try LikePattern(right, options: options).matches(left)
        case .matches: try RegularExpression(right, options: options).matches(left)
        default: TextFolding.holds(left, `operator`, right, options: options) ?? false
        }
    }

    /// Whether two values are equal: numbers by value whatever their type, texts folded by `options`; two
    /// nulls are.
    package func isEqual(to other: AttributeValue, options: QueryComparison.Options) -> Bool {
        switch (self, other) {
        case (.null, .null): true
        case (.uuid(let left), .uuid(let right)): left == right
        case (.binary(let left), .binary(let right)), (.transformable(let left), .transformable(let right)),
            (.binary(let left), .transformable(let right)), (.transformable(let left), .binary(let right)):
            left == right
        case (.object(let left), .object(let right)): left == right
        default: order(with: other, options: options) == .same
        }
    }

    /// How two values are ordered; `nil` if they have no order, because a type has none or the types
    /// differ.
    package func order(with other: AttributeValue, options: QueryComparison.Options = []) -> ValueOrder? {
        switch (self, other) {
        case (.date(let left), .date(let right)): ValueOrder(left, right)
        case (.binary(let left), .binary(let right)): ValueOrder(bytes: left, right)
        case (.uuid(let left), .uuid(let right)):
            ValueOrder(bytes: left.uuidString.utf8, right.uuidString.utf8)
        case (.integer(let left), .integer(let right)): ValueOrder(left, right)
        default:
            if let left = textValue, let right = other.textValue {
                ValueOrder(
                    bytes: TextFolding.fold(left, options: options).utf8,
                    TextFolding.fold(right, options: options).utf8)
            } else if isNumber, other.isNumber {
                numberOrder(with: other)
            } else {
                nil
            }
        }
    }

    /// Decimals are ordered as the nearest doubles, which is what a store keeps in their columns.
    private func numberOrder(with other: AttributeValue) -> ValueOrder? {
        switch (self, other) {
        case (.integer(let left), _): return other.doubleValue.flatMap { ValueOrder(left, $0) }
        case (_, .integer(let right)): return doubleValue.flatMap { ValueOrder(right, $0)?.reversed }
        default:
            guard let left = doubleValue, let right = other.doubleValue else { return nil }
            return left.isNaN || right.isNaN ? nil : ValueOrder(left, right)
        }
    }

    /// What kind of value it is, for messages.
    package var kindName: String {
        switch self {
        case .null: "null"
        case .integer: "an integer"
        case .boolean: "a truth value"
        case .double, .float: "a floating point number"
        case .decimal: "a decimal number"
        case .string: "text"
        case .date: "a date"
        case .binary: "bytes"
        case .uuid: "a UUID"
        case .uri: "a URI"
        case .transformable: "a transformable value"
        case .object: "an object"
        }
    }
}
