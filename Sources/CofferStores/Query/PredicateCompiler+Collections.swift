internal import CofferModel

extension PredicateCompiler {
    /// A function that makes one value of a collection: `sum(amounts)`, `median({a, b})`, `pages[FIRST]`.
    func collected(
        _ function: QueryFunction, _ arguments: [QueryExpression]
    ) throws(QueryError) -> QueryOperand {
        let hadAggregates = hasAggregates
        hasAggregates = false
        let collection = try collection(arguments[0])
        let isNested = hasAggregates
        hasAggregates = hadAggregates || isNested
        guard case .many(let scope, let element) = collection else {
            if isGrouping, isNested {
                throw .invalidOperand(
                    "'\(function.rawValue)' has no meaning for what is one value of all objects already: remove one of the two functions"
                )
            }
            if isGrouping { return try grouped(function, collection) }
            throw .invalidOperand("'\(function.rawValue)' takes a to-many key path or a list")
        }
        switch function {
        case .count: return try aggregate(.count, over: scope, of: element)
        case .sum: return try aggregate(.sum, over: scope, of: element)
        case .min: return try aggregate(.min, over: scope, of: element)
        case .max: return try aggregate(.max, over: scope, of: element)
        case .average: return try aggregate(.average, over: scope, of: element)
        case .first: return try one(of: scope, element, isFirst: true, "LIMIT 1")
        case .last: return try one(of: scope, element, isFirst: false, "LIMIT 1")
        case .element: return try one(of: scope, element, isFirst: true, try place(arguments[1]))
        default: return try statistic(function, over: scope, of: element)
        }
    }

    /// A function of a single value, which is of all rows of a group.
    private func grouped(_ function: QueryFunction, _ operand: QueryOperand) throws(QueryError)
        -> QueryOperand
    {
        hasAggregates = true
        switch function {
        case .count: return .scalar("COUNT(\(try value(operand)))", .integer64)
        case .sum:
            let number = try number(operand)
            switch operand.type {
            case .double, .float, .decimal: return .scalar("IFNULL(SUM(\(number)), 0)", nil)
            case .integer64, nil:
                return .scalar(Self.wideSum(of: number), operand.type)
            case let type:
                return .scalar(
                    "IFNULL(SUM(\(number)), 0)", type?.integerRange == nil ? nil : .integer64)
            }
        case .average: return .scalar("AVG(\(try number(operand)))", .double)
        case .min: return .scalar("MIN(\(try value(operand)))", operand.type)
        case .max: return .scalar("MAX(\(try value(operand)))", operand.type)
        default:
            throw .invalidOperand(
                "'\(function.rawValue)' is not available for groups: fetch the values and compute it of them")
        }
    }

    /// `LIMIT 1` at an index; none is before the first.
    private func place(_ index: QueryExpression) throws(QueryError) -> SQLFragment {
        guard case .constant(let value) = index else {
            throw .invalidOperand("an index is a fixed number: compute it first")
        }
        guard case .integer = value else { throw .invalidOperand("an index is an integer") }
        let offset = QueryParameter(source: .constant(nextConstant()))
        return "LIMIT 1 OFFSET max(0, \(offset)) + (\(offset) < 0) * 9223372036854775807"
    }

    /// One element of an ordered collection.
    private func one(
        of scope: QueryScope, _ element: QueryOperand, isFirst: Bool, _ limit: SQLFragment
    ) throws(QueryError) -> QueryOperand {
        guard !scope.order.isEmpty else {
            throw .invalidOperand(
                "a collection without an order has no first, last or n-th: use @min or @max")
        }
        let value = try value(element)
        let direction: SQLFragment = isFirst ? "" : " DESC"
        let order = SQLFragment.list(scope.order.map { "\($0)\(direction)" })
        let text: SQLFragment = "(SELECT \(value) \(scope.text) ORDER BY \(order) \(limit))"
        guard case .object(let place) = element else { return .scalar(text, element.type) }
        return .object(ReachedObject(scope: scope.outer ?? fetched.scope, entity: place.entity, key: text))
    }

    /// The middle, the most frequent value or the spread of numbers, nulls left out.
    private func statistic(_ function: QueryFunction, over scope: QueryScope, of element: QueryOperand)
        throws(QueryError) -> QueryOperand
    {
        let number = try number(element)
        scope.demand("\(number) IS NOT NULL")
        let rows = scope.text
        let values: SQLFragment = "SELECT \(number) * 1.0 AS v \(rows)"
        switch function {
        case .median:
            // A LIMIT cannot name columns of the query around.
            let numbered: SQLFragment =
                "SELECT v, row_number() OVER (ORDER BY v) AS i, COUNT(*) OVER () AS n FROM (\(values))"
            return .scalar(
                "(SELECT AVG(v) FROM (\(numbered)) WHERE i IN ((n + 1) / 2, (n + 2) / 2))", .double)
        case .mode:
            return .scalar(
                "(SELECT v FROM (\(values)) GROUP BY v ORDER BY COUNT(*) DESC, v LIMIT 1)", .double)
        default:
            let mean: SQLFragment = "(SELECT AVG(\(number)) \(rows))"
            return .scalar(
                "(SELECT sqrt(AVG((v - \(mean)) * (v - \(mean)))) FROM (\(values)))", .double)
        }
    }
}
