internal import CofferModel
internal import CofferSQLite

/// Functions of ours that queries call: SQLite knows upper and lower case of ASCII only.
///
/// They read nothing but their arguments, and the files that these name. Confined with the connection that
/// they are registered on; no schema ever names them.
final class SQLFunctions {
    private var likes = PatternCache<LikePattern>()
    private var expressions = PatternCache<RegularExpression>()
    private var order = LocalizedOrder()
    private var failure: StoreError?
    private let externalBytes: (String) throws(StoreError) -> [UInt8]?
    private let onMissingFile: (String) -> Void

    /// Functions of which one reads the files that values name; `onMissingFile` is told which are missing.
    init(
        externalBytes: @escaping (String) throws(StoreError) -> [UInt8]? = ExternalData.unreachable,
        onMissingFile: @escaping (String) -> Void = { _ in }
    ) {
        self.externalBytes = externalBytes
        self.onMissingFile = onMissingFile
    }

    /// Makes the functions callable on a connection.
    func register(on connection: SQLiteConnection) throws(SQLiteError) {
        try addExternalValue(to: connection)
        try add("COFFER_FOLD", argumentCount: 2, to: connection) { arguments in
            TextFolding.fold(arguments.text(0), options: Self.options(arguments, 1))
        }
        try connection.registerFunction(
            name: "COFFER_SORTKEY", arguments: 3, isDeterministic: true, isInnocuous: true
        ) { [weak self] arguments in
            guard let self, !arguments.isNull(0) else { return .null }
            let comparison = QuerySort.Comparison(rawValue: UInt8(truncatingIfNeeded: arguments.int64(1)))
            return .blob(
                self.order.key(arguments.text(0), comparison ?? .localized, locale: arguments.text(2)))
        }
        try connection.registerFunction(
            name: "COFFER_KEPTKEY", arguments: 3, isDeterministic: true, isInnocuous: true
        ) { [weak self] arguments in
            guard let self, !arguments.isNull(0) else { return .blob([]) }
            let comparison = QuerySort.Comparison(rawValue: UInt8(truncatingIfNeeded: arguments.int64(1)))
            return .blob(
                self.order.keptKey(arguments.text(0), comparison ?? .localized, locale: arguments.text(2)))
        }
        try add("COFFER_UPPER", argumentCount: 1, to: connection) { $0.text(0).uppercased() }
        try add("COFFER_LOWER", argumentCount: 1, to: connection) { $0.text(0).lowercased() }
        try add("COFFER_CANONICAL", argumentCount: 1, to: connection) { arguments in
            TextFolding.fold(arguments.text(0), options: [.caseInsensitive, .diacriticInsensitive])
        }
        try connection.registerFunction(
            name: "COFFER_LENGTH", arguments: 1, isDeterministic: true, isInnocuous: true
        ) { arguments in
            arguments.isNull(0) ? .null : .integer(Int64(arguments.text(0).utf16.count))
        }
        try connection.registerFunction(
            name: "COFFER_CHARACTERS", arguments: 1, isDeterministic: true, isInnocuous: true
        ) { arguments in
            arguments.isNull(0) ? .null : .integer(Int64(arguments.text(0).count))
        }
        try connection.registerFunction(
            name: "COFFER_CAST", arguments: 3, isDeterministic: true, isInnocuous: true
        ) { StoredValueCast.cast($0) }
        try addMatch("COFFER_LIKE", to: connection) { (self, text, pattern, options) throws(QueryError) in
            try self.likes.get(pattern, options) { (pattern, options) throws(QueryError) in
                try LikePattern(pattern, options: options)
            }.matches(text)
        }
        try addMatch("COFFER_MATCH", to: connection) { (self, text, pattern, options) throws(QueryError) in
            try self.expressions.get(pattern, options) { (pattern, options) throws(QueryError) in
                try RegularExpression(pattern, options: options)
            }.matches(text)
        }
    }

    /// The error that a function of ours failed with, if `error` comes from it.
    func explained(_ error: StoreError) -> StoreError {
        guard let failure else { return error }
        self.failure = nil
        return failure
    }
}

extension SQLFunctions {
    /// The value of a column that may have it in a file beside the store.
    private func addExternalValue(to connection: SQLiteConnection) throws(SQLiteError) {
        try connection.registerFunction(
            name: "COFFER_VALUE", arguments: 1, isDeterministic: true, isInnocuous: true
        ) { [weak self] arguments in
            guard let self, !arguments.isNull(0) else { return .null }
            do throws(StoreError) {
                let value = try ExternalData.value(arguments.blob(0)) { name throws(StoreError) in
                    let bytes = try self.externalBytes(name)
                    if bytes == nil { self.onMissingFile(name) }
                    return bytes
                }
                return value.map { .blob($0) } ?? .null
            } catch {
                self.failure = error
                return .failure("the file of a value cannot be read")
            }
        }
    }

    private func add(
        _ name: String, argumentCount count: Int, to connection: SQLiteConnection,
        _ body: @escaping (borrowing SQLiteFunctionArguments) -> String
    ) throws(SQLiteError) {
        try connection.registerFunction(
            name: name, arguments: count, isDeterministic: true, isInnocuous: true
        ) {
            $0.isNull(0) ? .null : .text(body($0))
        }
    }

    private typealias Match = (SQLFunctions, String, String, QueryComparison.Options) throws(QueryError) ->
        Bool

    /// A function of a text, a pattern and options.
    private func addMatch(_ name: String, to connection: SQLiteConnection, _ body: @escaping Match)
        throws(SQLiteError)
    {
        try connection.registerFunction(name: name, arguments: 3, isDeterministic: true, isInnocuous: true) {
            [weak self] arguments in
            guard let self, !arguments.isNull(0), !arguments.isNull(1) else { return .null }
            do throws(QueryError) {
                let options = Self.options(arguments, 2)
                return .integer(try body(self, arguments.text(0), arguments.text(1), options) ? 1 : 0)
            } catch {
                self.failure = .predicate(error.description)
                return .failure("the pattern cannot be used")
            }
        }
    }

    private static func options(_ arguments: borrowing SQLiteFunctionArguments, _ index: Int)
        -> QueryComparison.Options
    {
        QueryComparison.Options(rawValue: UInt8(truncatingIfNeeded: arguments.int64(index)))
    }
}

/// Patterns that were read already: a query mostly has one for all its rows.
private struct PatternCache<Pattern> {
    // By bytes, since canonically equivalent texts are different patterns.
    private var patterns: [[UInt8]: Pattern] = [:]
    private var last: (text: String, options: QueryComparison.Options, pattern: Pattern)?

    mutating func get(
        _ text: String, _ options: QueryComparison.Options,
        make: (String, QueryComparison.Options) throws(QueryError) -> Pattern
    ) throws(QueryError) -> Pattern {
        if let last, last.options == options, last.text.utf8.elementsEqual(text.utf8) { return last.pattern }
        let key = [options.rawValue] + text.utf8
        let pattern: Pattern
        if let known = patterns[key] {
            pattern = known
        } else {
            pattern = try make(text, options)
            if patterns.count >= Limits.cachedPatterns { patterns.removeAll() }
            patterns[key] = pattern
        }
        last = (text, options, pattern)
        return pattern
    }
}
