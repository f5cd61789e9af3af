extension QueryPredicate {
    /// A comparison of a key path with a value, for example `.compare("folder.name", .beginsWith, "A",
    /// options: .caseInsensitive)`.
    ///
    /// The key path is property names joined by dots; the last may be an operator such as `@count`. If it
    /// runs through a to-many relationship, the modifier is `.any`, `.all` or `.none`.
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
    ///
    /// So it does on either side: `new && all` is nested no deeper than `all && new`. Predicates that a
    /// format has in parentheses stay as they are written there.
    public static func && (left: QueryPredicate, right: QueryPredicate) -> QueryPredicate {
        .and(left.conjuncts + right.conjuncts)
    }

    /// Either predicate holds; a chain makes one disjunction, not nested ones.
    public static func || (left: QueryPredicate, right: QueryPredicate) -> QueryPredicate {
        .or(left.disjuncts + right.disjuncts)
    }

    /// The predicate does not hold.
    public static prefix func ! (predicate: QueryPredicate) -> QueryPredicate { .not(predicate) }

    private var conjuncts: [QueryPredicate] { if case .and(let parts) = self { parts } else { [self] } }

    private var disjuncts: [QueryPredicate] { if case .or(let parts) = self { parts } else { [self] } }
}
