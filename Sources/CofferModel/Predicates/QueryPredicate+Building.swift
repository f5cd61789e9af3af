extension QueryPredicate {
    /// A comparison of a key path with a value, for example `.compare("folder.name", .beginsWith, "A", options: .caseInsensitive)`.
    ///
    /// - Parameters:
    ///   - keyPath: Property names joined by dots; the last may be an operator such as `@count`.
    ///   - modifier: `.any`, `.all` or `.none` where the key path runs through a to-many relationship.
    public static func compare(
        _ keyPath: String, _ operator: QueryComparison.Operator, _ value: (any QueryArgument)?,
        modifier: QueryComparison.Modifier = .direct, options: QueryComparison.Options = []
    ) -> QueryPredicate {
        let keys = keyPath.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        return .compare(
            .keyPath(keys), `operator`, value?.queryExpression ?? .constant(.null), modifier: modifier,
            options: options)
    }

    /// A comparison of two expressions.
    public static func compare(
        _ left: QueryExpression, _ operator: QueryComparison.Operator, _ right: QueryExpression,
        modifier: QueryComparison.Modifier = .direct, options: QueryComparison.Options = []
    ) -> QueryPredicate {
        .comparison(QueryComparison(left, `operator`, right, modifier: modifier, options: options))
    }

    /// Both hold; a chain makes one conjunction, not nested ones.
    public static func && (left: QueryPredicate, right: QueryPredicate) -> QueryPredicate {
        if case .and(let parts) = left { return .and(parts + [right]) }
        return .and([left, right])
    }

    /// One of them holds; a chain makes one disjunction, not nested ones.
    public static func || (left: QueryPredicate, right: QueryPredicate) -> QueryPredicate {
        if case .or(let parts) = left { return .or(parts + [right]) }
        return .or([left, right])
    }

    /// It does not hold.
    public static prefix func ! (predicate: QueryPredicate) -> QueryPredicate { .not(predicate) }
}
