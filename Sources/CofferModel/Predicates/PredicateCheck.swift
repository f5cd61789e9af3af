extension QueryPredicate {
    /// Checks the predicate against an entity: every key path is found, and every comparison has sides that
    /// fit.
    ///
    /// - Returns: The predicate with its constants in the types of the attributes that they are compared
    ///   with: `1` as `1.0` for a double attribute, `0` and `1` as truth values, numbers as decimals, text as
    ///   UUIDs, URIs or dates.
    /// - Throws: `QueryError`, naming key path and entity, for an unknown key, a key path through an
    ///   attribute, a transient property, a to-many key path without `ANY`, `ALL`, `NONE` or an operator such
    ///   as `@count`, sides of different types, a relationship compared with a value, an operator that does
    ///   not take its sides, a variable without a value, an unknown function.
    /// - Complexity: O(predicate).
    @discardableResult
    public func check(
        for entity: EntityDescription, in model: ManagedObjectModel
    ) throws(QueryError) -> QueryPredicate {
        var check = PredicateCheck(entity: entity, model: model)
        return try check.checked(self)
    }
}

/// Checks one predicate against an entity.
struct PredicateCheck {
    let entity: EntityDescription
    let model: ManagedObjectModel
    /// What the variables of the subqueries around are.
    var variables: [String: PredicateShape] = [:]
    /// The innermost comparison that is being checked; the one at fault, once something was thrown.
    private(set) var comparison: QueryComparison?
    private var depth = 0

    init(entity: EntityDescription, model: ManagedObjectModel) {
        self.entity = entity
        self.model = model
    }

    /// The predicate with its constants in the types that they are compared with.
    mutating func checked(_ predicate: QueryPredicate) throws(QueryError) -> QueryPredicate {
        try enter()
        defer { depth -= 1 }
        switch predicate {
        case .always: return predicate
        case .and(let parts): return .and(try checked(parts))
        case .or(let parts): return .or(try checked(parts))
        case .not(let part): return .not(try checked(part))
        case .comparison(let comparison): return .comparison(try checked(comparison))
        }
    }

    private mutating func checked(_ parts: [QueryPredicate]) throws(QueryError) -> [QueryPredicate] {
        var result: [QueryPredicate] = []
        result.reserveCapacity(parts.count)
        for part in parts { result.append(try checked(part)) }
        return result
    }

    mutating func enter() throws(QueryError) {
        depth += 1
        guard depth <= Limits.predicateDepth else {
            throw .tooComplex("it is nested more than \(Limits.predicateDepth) deep")
        }
    }

    mutating func leave() { depth -= 1 }
}

// MARK: - Comparisons

extension PredicateCheck {
    private mutating func checked(_ comparison: QueryComparison) throws(QueryError) -> QueryComparison {
        let outer = self.comparison
        self.comparison = comparison
        var result = comparison
        let left = try typed(&result.left)
        let right = try typed(&result.right)
        try checkCollections(comparison, left: left, right: right)
        try checkOperator(comparison, left: left, right: right)
        if !left.isConstant || right.isConstant {
            result.right = try fitted(result.right, right, to: left, of: comparison.left)
        } else {
            result.left = try fitted(result.left, left, to: right, of: comparison.right)
        }
        self.comparison = outer
        return result
    }

    /// Checks that to-many sides stand only in comparisons that can take them.
    private func checkCollections(
        _ comparison: QueryComparison, left: PredicateShape, right: PredicateShape
    ) throws(QueryError) {
        let name = comparison.operator.spelling
        if comparison.modifier != .direct {
            guard left.isMany else {
                throw invalid(comparison.left, "is not to-many, so ANY, ALL and NONE have no meaning")
            }
        } else if left.isMany, comparison.operator != .contains {
            throw invalid(comparison.left, "is to-many: '\(name)' needs ANY, ALL, NONE or @count")
        }
        if comparison.operator == .between {
            guard case .collection(let bounds) = comparison.right, bounds.count == 2 else {
                throw invalid(comparison.right, "is not the {low, high} that BETWEEN takes")
            }
        } else if right.isMany, comparison.operator != .in {
            throw invalid(comparison.right, "is to-many on the right of '\(name)'")
        }
    }

    private func checkOperator(
        _ comparison: QueryComparison, left: PredicateShape, right: PredicateShape
    ) throws(QueryError) {
        switch comparison.operator {
        case .equal, .notEqual: break
        case .less, .lessOrEqual, .greater, .greaterOrEqual, .between:
            for (side, shape) in [(comparison.left, left), (comparison.right, right)] {
                guard !shape.isUnordered else { throw invalid(side, "has no order") }
            }
        case .in where right.isMany, .contains where left.isMany && comparison.modifier == .direct: break
        case .in where right.family ?? .text != .text:
            throw mismatch(
                comparison.right, expected: "a collection such as {1, 2} for 'IN'", found: right.name)
        case .in, .contains, .beginsWith, .endsWith, .like, .matches:
            for (side, shape) in [(comparison.left, left), (comparison.right, right)] {
                guard shape.family ?? .text == .text else {
                    throw mismatch(
                        side, expected: "text for '\(comparison.operator.spelling)'", found: shape.name)
                }
            }
            try checkPattern(comparison)
        }
    }

    /// Patterns that cannot be read are refused before any row is.
    private func checkPattern(_ comparison: QueryComparison) throws(QueryError) {
        guard let pattern = comparison.right.constantValue?.textValue else { return }
        switch comparison.operator {
        case .like: _ = try LikePattern(pattern, options: comparison.options)
        case .matches: _ = try RegularExpression(pattern, options: comparison.options)
        default: break
        }
    }

    /// An expression whose constants have the type of what they are compared with, `other`.
    private func fitted(
        _ expression: QueryExpression, _ shape: PredicateShape, to wanted: PredicateShape,
        of other: QueryExpression
    ) throws(QueryError) -> QueryExpression {
        switch (expression, shape.kind) {
        case (.constant(let value), _): return .constant(try fitted(value, to: wanted, of: other))
        case (.collection(let parts), .mixed(let shapes)):
            var result: [QueryExpression] = []
            for (part, shape) in zip(parts, shapes) {
                result.append(try fitted(part, shape, to: wanted, of: other))
            }
            return .collection(result)
        default: break
        }
        if case .mixed(let shapes) = wanted.kind {
            for member in shapes { try checkFamilies(member, shape, of: other) }
        } else {
            try checkFamilies(wanted, shape, of: other)
        }
        return expression
    }

    private func checkFamilies(
        _ wanted: PredicateShape, _ found: PredicateShape, of other: QueryExpression
    ) throws(QueryError) {
        guard let first = wanted.family, let second = found.family, first != second else { return }
        throw mismatch(other, expected: wanted.name, found: found.name)
    }

    private func fitted(
        _ value: AttributeValue, to wanted: PredicateShape, of other: QueryExpression
    ) throws(QueryError) -> AttributeValue {
        if value.isNull { return value }
        if case .attribute(let type) = wanted.kind {
            guard let result = value.coerced(to: type) else {
                throw mismatch(other, expected: type.valueName, found: value.kindName)
            }
            return result
        }
        try checkFamilies(wanted, PredicateShape(.constant(value)), of: other)
        return value
    }
}

extension PredicateShape {
    /// Whether it is made of constants only.
    fileprivate var isConstant: Bool {
        switch kind {
        case .null, .constant: true
        case .mixed(let parts): parts.allSatisfy(\.isConstant)
        case .number, .attribute, .object: false
        }
    }

    fileprivate var isUnordered: Bool {
        switch kind {
        case .object, .attribute(.transformable), .constant(.object), .constant(.transformable): true
        case .mixed(let parts): parts.contains(where: \.isUnordered)
        case .null, .constant, .number, .attribute: false
        }
    }
}
