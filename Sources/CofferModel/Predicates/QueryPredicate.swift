/// What a fetch demands of objects.
///
/// Named so because Foundation has a `Predicate` of its own.
///
/// ```swift
/// let written = try QueryPredicate(format: "title BEGINSWITH[cd] %@ AND stars > %d", "mi", 3)
/// let either = written || QueryPredicate.compare("folder.name", .equal, "Home")
/// ```
public indirect enum QueryPredicate: Sendable, Hashable {
    /// `TRUEPREDICATE` or `FALSEPREDICATE`.
    case always(Bool)
    /// All of them hold; true if there is none.
    case and([QueryPredicate])
    /// At least one predicate holds; false if there is none.
    case or([QueryPredicate])
    /// The predicate does not hold.
    case not(QueryPredicate)
    /// Two expressions compared.
    case comparison(QueryComparison)
}

/// Two expressions compared.
public struct QueryComparison: Sendable, Hashable {
    /// How a to-many key path on the left is compared.
    public enum Modifier: UInt8, Sendable, Hashable, CaseIterable {
        /// As one value.
        case direct
        /// Some element fits (`ANY`, `SOME`).
        case any
        /// Every element fits.
        case all
        /// No element fits.
        case none
    }

    /// What is asked of the two values.
    public enum Operator: UInt8, Sendable, Hashable, CaseIterable {
        /// `==`, also `=`.
        case equal
        /// `!=`, also `<>`.
        case notEqual
        /// `<`.
        case less
        /// `<=`.
        case lessOrEqual
        /// `>`.
        case greater
        /// `>=`.
        case greaterOrEqual
        /// `BETWEEN {low, high}`, both included.
        case between
        /// `IN`: membership, or substring if the right side is text.
        case `in`
        /// `CONTAINS`: the other way round.
        case contains
        /// `BEGINSWITH`.
        case beginsWith
        /// `ENDSWITH`.
        case endsWith
        /// `LIKE`: `?` is one character, `*` any run, `\` escapes.
        case like
        /// `MATCHES`: a regular expression on the whole text.
        case matches
    }

    /// How text is compared; ignored for all other values.
    public struct Options: OptionSet, Sendable, Hashable {
        /// One bit for each option.
        public let rawValue: UInt8
        /// Options by their bits.
        public init(rawValue: UInt8) { self.rawValue = rawValue }

        /// `[c]`: upper and lower case are alike.
        public static let caseInsensitive = Options(rawValue: 1)
        /// `[d]`: letters with and without marks are alike.
        public static let diacriticInsensitive = Options(rawValue: 2)
        /// `[n]`: the bytes are compared as they are.
        public static let normalized = Options(rawValue: 4)
        /// `[l]`: by the rules of the locale.
        public static let localeSensitive = Options(rawValue: 8)
    }

    /// The left side.
    public var left: QueryExpression
    /// What is asked of the two values.
    public var `operator`: Operator
    /// The right side.
    public var right: QueryExpression
    /// How a to-many key path on the left is compared.
    public var modifier: Modifier
    /// How text is compared.
    public var options: Options

    /// A comparison of two expressions, direct and without options by default.
    public init(
        _ left: QueryExpression, _ operator: Operator, _ right: QueryExpression, modifier: Modifier = .direct,
        options: Options = []
    ) {
        self.left = left
        self.operator = `operator`
        self.right = right
        self.modifier = modifier
        self.options = options
    }
}

/// One side of a comparison.
public indirect enum QueryExpression: Sendable, Hashable {
    /// A fixed value.
    case constant(AttributeValue)
    /// `{a, b}`: several values.
    case collection([QueryExpression])
    /// `SELF`: the object itself.
    case evaluatedObject
    /// Property names from the object on; the last may be `@count`, `@sum` and so on, then followed by a
    /// property for all but `@count`.
    case keyPath([String])
    /// `$name.rest`: the variable of a `SUBQUERY`, or one of a template that is not filled yet; with a key
    /// path behind it.
    case variable(String, keyPath: [String])
    /// A function by its name in Core Data: `add:to:`, `uppercase:`, `now` and so on.
    case function(String, [QueryExpression])
    /// `SUBQUERY(collection, $variable, predicate)`: the elements for which the predicate holds, with a key
    /// path behind it (`@count`).
    case subquery(collection: QueryExpression, variable: String, predicate: QueryPredicate, keyPath: [String])
    /// `TERNARY(predicate, then, otherwise)`.
    case conditional(QueryPredicate, then: QueryExpression, otherwise: QueryExpression)
}
