import CofferModel

/// A value in a predicate of Foundation, in our words: what it is, and when it is `nil`.
struct PredicateOperand {
    /// What a null of the expression stands for.
    enum Null {
        /// There is no null.
        case never
        /// No value.
        case isNil
        /// What a property that is not optional reads instead.
        case reads(AttributeValue)
    }

    /// The value, if there is one.
    var expression: QueryExpression
    var null: Null
    /// What must hold for a value to be there, whatever the expression gives; `nil` if nothing must.
    var presence: QueryPredicate?
    /// Whether the expression is null wherever `presence` does not hold.
    var isNullWithoutPresence = false
    /// Whether a null may stand for what is not a number.
    var mayBeNaN = false

    init(_ expression: QueryExpression, null: Null, presence: QueryPredicate? = nil) {
        self.expression = expression
        self.null = null
        self.presence = presence
    }

    init(_ constant: AttributeValue) {
        self.init(.constant(constant), null: constant.isNull ? .isNil : .never)
    }

    /// What holds or does not, as a value.
    init(_ condition: QueryPredicate) {
        if case .always(let value) = condition {
            self.init(.boolean(value))
        } else {
            let (yes, no) = (
                QueryExpression.constant(.boolean(true)), QueryExpression.constant(.boolean(false))
            )
            self.init(.conditional(condition, then: yes, otherwise: no), null: .never)
        }
    }
}

extension PredicateOperand {
    private static var nothing: QueryExpression { .constant(.null) }

    /// The value of a constant.
    var constant: AttributeValue? {
        if presence == nil, case .constant(let value) = expression { value } else { nil }
    }

    /// Whether there is a value.
    var isThere: QueryPredicate {
        if let constant { return .always(!constant.isNull) }
        guard case .isNil = null else { return presence ?? .always(true) }
        let isValue = QueryPredicate.compare(expression, .notEqual, Self.nothing)
        return isNullWithoutPresence ? isValue : presence.map { $0 && isValue } ?? isValue
    }

    /// The value, known to be there.
    var unwrapped: PredicateOperand {
        var result = self
        if case .isNil = null { result.null = .never }
        result.presence = nil
        return result
    }

    /// The operand as one expression, in which null stands for `nil`.
    var whole: QueryExpression {
        var value = expression
        if case .reads(let instead) = null {
            value = .conditional(
                .compare(expression, .notEqual, Self.nothing), then: expression, otherwise: .constant(instead)
            )
        }
        guard let presence else { return value }
        if case .isNil = null, isNullWithoutPresence { return value }
        return .conditional(presence, then: value, otherwise: Self.nothing)
    }
}

extension PredicateOperand {
    /// Whether both operands are equal, or both are `nil`.
    func isEqual(to other: PredicateOperand) -> QueryPredicate {
        guard let value = other.constant else {
            if constant != nil { return other.isEqual(to: self) }
            let isEqual = QueryPredicate.compare(whole, .equal, other.whole)
            // Two nulls are equal; what is not a number is not equal to itself.
            return mayBeNaN || other.mayBeNaN ? isEqual && .compare(whole, .notEqual, Self.nothing) : isEqual
        }
        if let constant { return .always(constant.isEqual(to: value, options: [])) }
        if value.isNull { return isNothing }
        return asked(with: .compare(expression, .equal, other.expression)) {
            $0.isEqual(to: value, options: [])
        }
    }

    /// Whether there is no value.
    private var isNothing: QueryPredicate {
        switch isThere {
        case .always(let value): .always(!value)
        case .comparison(var comparison) where comparison.operator == .notEqual:
            {
                comparison.operator = .equal
                return .comparison(comparison)
            }()
        case let condition: .not(condition)
        }
    }

    /// What an operator that no null fits says of two values that are there.
    func compared(
        _ operator: QueryComparison.Operator, _ other: PredicateOperand
    ) throws(QueryError) -> QueryPredicate {
        guard let value = other.constant else {
            return .compare(whole, `operator`, other.whole)
        }
        let fits = try constantFits(`operator`, value)
        return asked(with: .compare(expression, `operator`, other.expression)) { _ in fits }
    }

    /// Whether what is read instead of null fits.
    private func constantFits(
        _ operator: QueryComparison.Operator, _ value: AttributeValue
    ) throws(QueryError) -> Bool {
        guard case .reads(let instead) = null else { return false }
        return try instead.compares(`operator`, with: value, options: [])
    }

    /// A condition of the expression that null does not fit, but that the value read instead of null may fit.
    private func asked(
        with condition: QueryPredicate, _ fits: (AttributeValue) -> Bool
    ) -> QueryPredicate {
        var result = condition
        var isForNoNull = true
        if case .reads(let instead) = null, fits(instead) {
            isForNoNull = false
            result = result || .compare(expression, .equal, Self.nothing)
        }
        guard let presence, !(isForNoNull && isNullWithoutPresence) else { return result }
        return presence && result
    }

    /// Whether it is one of several values; `nil` among them is `nil`.
    func isOne(of values: [AttributeValue]) -> QueryPredicate {
        if values.isEmpty { return .always(false) }
        func isThere(_ value: AttributeValue) -> Bool {
            values.contains { $0.isEqual(to: value, options: []) }
        }
        if let constant { return .always(isThere(constant)) }
        let list = QueryExpression.collection(values.map { .constant($0) })
        guard !values.contains(where: \.isNull) else { return .compare(whole, .in, list) }
        return asked(with: .compare(expression, .in, list), isThere)
    }
}

extension PredicateOperand {
    /// The value of `lookup` in what this one wraps; `nil` if this one is `nil`.
    func flatMapped(to inner: PredicateOperand) -> PredicateOperand {
        var result = inner
        if presence == nil, case .isNil = null, inner.expression.isNull(whereverIs: expression) {
            // A key path behind a null is null itself.
            if case .isNil = inner.null, inner.presence == nil { return inner }
            result.isNullWithoutPresence = inner.presence == nil || inner.isNullWithoutPresence
        } else {
            result.isNullWithoutPresence = false
        }
        if case .always(true) = isThere { return result }
        result.presence = inner.presence.map { isThere && $0 } ?? isThere
        return result
    }

    /// The value, or another if there is none.
    func orElse(_ other: PredicateOperand) -> PredicateOperand {
        if case .always(true) = isThere { return self }
        if let value = other.constant, !value.isNull {
            switch null {
            case .isNil where presence == nil || isNullWithoutPresence:
                return reading(value)
            case .reads(let instead) where isNullWithoutPresence && instead.isEqual(to: value, options: []):
                return reading(value)
            case .never, .isNil, .reads: break
            }
        }
        var result = PredicateOperand(
            .conditional(isThere, then: unwrapped.whole, otherwise: other.whole), null: .isNil)
        if case .always(true) = other.isThere { result.null = .never }
        result.mayBeNaN = mayBeNaN || other.mayBeNaN
        return result
    }

    private func reading(_ value: AttributeValue) -> PredicateOperand {
        var result = PredicateOperand(expression, null: .reads(value))
        result.mayBeNaN = mayBeNaN
        return result
    }
}

extension QueryExpression {
    /// Whether it is a key path that begins with another one, and is null with it.
    fileprivate func isNull(whereverIs other: QueryExpression) -> Bool {
        switch (self, other) {
        case (.keyPath(let keys), .keyPath(let first)):
            keys.starts(with: first) && !keys.contains { $0.hasPrefix("@") }
        case (.variable(let name, let keys), .variable(let otherName, let first)):
            name == otherName && keys.starts(with: first) && !keys.contains { $0.hasPrefix("@") }
        default: false
        }
    }

    /// The expression, and one key more behind it; `nil` if none can stand there.
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
