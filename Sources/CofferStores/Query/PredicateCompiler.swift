internal import CofferModel

/// Turns a predicate into a condition in SQL that means what `QueryPredicate.evaluate` means.
///
/// A condition may be null in SQL, which counts as false; if the difference matters (`NOT`, `ALL`), null is
/// taken out with `IS NOT TRUE`. Each expression is compiled once, in the order in which `QueryShape` walks
/// it, so that constants are known by their number alone. Confined to one compilation.
final class PredicateCompiler {
    let schema: SQLSchema
    let fetched: ReachedObject
    let textIndexes: [TextIndex]
    /// Columns that a full-text index knows, as they stand in the SQL.
    var indexedTexts: [String: IndexedText] = [:]
    var variables: [String: QueryOperand] = [:]
    /// Whether functions of single values are of all rows of a group.
    var isGrouping = false
    /// Whether such a one was met.
    var hasAggregates = false
    private(set) var constantCount = 0

    /// A compiler for predicates of the objects at `place`.
    init(schema: SQLSchema, fetched place: ReachedObject, textIndexes: [TextIndex] = []) {
        self.schema = schema
        self.textIndexes = textIndexes
        fetched = place
    }

    /// A condition that holds for the rows for which `predicate` holds.
    ///
    /// If it is demanded of all rows of `scope`, so is each part of a conjunction.
    func condition(
        _ predicate: QueryPredicate, ofAll scope: QueryScope? = nil
    ) throws(QueryError) -> SQLFragment {
        switch predicate {
        case .always(let isTrue): return isTrue ? "1" : "0"
        case .and(let parts):
            return SQLFragment.joined(
                try conditions(parts, ofAll: scope), by: "AND", whenEmpty: "1")
        case .or(let parts):
            return SQLFragment.joined(try conditions(parts), by: "OR", whenEmpty: "0")
        case .not(let part): return Self.negated(try condition(part))
        case .comparison(let comparison): return try condition(comparison, ofAll: scope)
        }
    }

    /// An expression that a row or group holds; if SQL cannot ask for it, the error names it.
    func answering(_ expression: QueryExpression) throws(QueryError) -> QueryOperand {
        do throws(QueryError) {
            return try operand(expression)
        } catch {
            guard case .invalidOperand(let reason) = error else { throw error }
            throw .notInStore(expression.format, reason: reason)
        }
    }

    /// The number of the next constant.
    func nextConstant() -> Int {
        defer { constantCount += 1 }
        return constantCount
    }

    /// A condition that holds if `condition` is false or null.
    static func negated(_ condition: SQLFragment) -> SQLFragment { "(\(condition)) IS NOT TRUE" }

    private func conditions(
        _ parts: [QueryPredicate], ofAll scope: QueryScope? = nil
    ) throws(QueryError) -> [SQLFragment] {
        var result: [SQLFragment] = []
        for part in parts { result.append(try condition(part, ofAll: scope)) }
        return result
    }
}

extension PredicateCompiler {
    /// What a comparison demands; if SQL cannot ask for it, the error names the comparison.
    private func condition(
        _ comparison: QueryComparison, ofAll scope: QueryScope?
    ) throws(QueryError) -> SQLFragment {
        do throws(QueryError) {
            return try compared(comparison, ofAll: comparison.holdsForNoNull ? scope : nil)
        } catch {
            guard case .invalidOperand(let reason) = error else { throw error }
            throw .notInStore(QueryPredicate.comparison(comparison).format, reason: reason)
        }
    }

    private func compared(
        _ comparison: QueryComparison, ofAll scope: QueryScope?
    ) throws(QueryError) -> SQLFragment {
        let left =
            comparison.modifier == .direct
            ? try required(comparison.left, in: scope) : try collection(comparison.left)
        let right = try required(comparison.right, in: scope)
        switch (comparison.modifier, left) {
        case (.direct, _): return try direct(left, by: comparison, with: right)
        case (.any, .many(let scope, let element)):
            return Self.exists(scope, where: try direct(element, by: comparison, with: right))
        case (.none, .many(let scope, let element)):
            return "NOT \(Self.exists(scope, where: try direct(element, by: comparison, with: right)))"
        case (.all, .many(let scope, let element)):
            let condition = try direct(element, by: comparison, with: right)
            return "NOT \(Self.exists(scope, where: Self.negated(condition)))"
        case (.any, _), (.none, _), (.all, _):
            throw .invalidOperand(
                "ANY, ALL and NONE need a to-many key path on their left: write the two sides the other way round"
            )
        }
    }

    /// Compares, with memberships in what a to-many key path leads to.
    private func direct(_ left: QueryOperand, by comparison: QueryComparison, with right: QueryOperand)
        throws(QueryError) -> SQLFragment
    {
        switch (left, comparison.operator, right) {
        case (.many(let scope, let element), .contains, _):
            return Self.exists(scope, where: try equal(element, right, options: comparison.options))
        case (_, .in, .many(let scope, let element)):
            return Self.exists(scope, where: try equal(left, element, options: comparison.options))
        case (.many, _, _), (_, _, .many):
            throw .invalidOperand("a to-many key path is compared: write ANY, ALL or NONE before it")
        default: return try compare(left, comparison.operator, right, comparison.options)
        }
    }

    /// Whether `scope` has a row that fits.
    static func exists(_ scope: QueryScope, where condition: SQLFragment) -> SQLFragment {
        scope.demand(condition)
        return "EXISTS (SELECT 1 \(scope.text))"
    }
}

extension QueryComparison {
    /// Whether it does not hold if a key path on either side is null.
    fileprivate var holdsForNoNull: Bool {
        guard modifier == .direct else { return false }
        switch `operator` {
        case .less, .lessOrEqual, .greater, .greaterOrEqual, .between, .beginsWith, .endsWith, .like,
            .matches:
            return true
        case .equal, .in, .contains: return left.isNeverNull || right.isNeverNull
        case .notEqual: return false
        }
    }
}

extension QueryExpression {
    /// Whether it is a value that is not null, or a list of such.
    fileprivate var isNeverNull: Bool {
        switch self {
        case .constant(let value): !value.isNull
        case .collection(let parts): parts.allSatisfy(\.isNeverNull)
        case .evaluatedObject, .keyPath, .variable, .function, .subquery, .conditional: false
        }
    }
}
