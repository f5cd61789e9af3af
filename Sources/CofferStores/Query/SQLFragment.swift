/// A piece of SQL and the parameters it asks for, in the order of its question marks.
///
/// Only literals of the program, names of the schema and other pieces can be put into one: a value of
/// anybody's predicate is a parameter, and has no way into the text.
struct SQLFragment: Sendable, ExpressibleByStringInterpolation {
    /// The text, with a `?` for each parameter.
    private(set) var text: String
    /// What is bound to each `?`.
    private(set) var parameters: [QueryParameter]
    /// What is null when this is null, and costs less to ask: a column whose value a function reads from a
    /// file.
    private(set) var presence: String?

    init(stringLiteral text: String) {
        self.text = text
        parameters = []
    }

    init(stringInterpolation: StringInterpolation) { self = stringInterpolation.fragment }

    struct StringInterpolation: StringInterpolationProtocol {
        var fragment: SQLFragment = ""

        init(literalCapacity: Int, interpolationCount: Int) {}

        mutating func appendLiteral(_ literal: String) { fragment.text += literal }

        /// A piece with its parameters.
        mutating func appendInterpolation(_ other: SQLFragment) { fragment.append(other) }

        /// A table or column as the schema names it, which is ready to stand in SQL; or an alias.
        mutating func appendInterpolation(name: String) { fragment.text += name }

        /// A number that comes from the schema or is counted here.
        mutating func appendInterpolation(number: Int) { fragment.text += String(number) }

        /// A question mark, and what is bound to it.
        mutating func appendInterpolation(_ parameter: QueryParameter) {
            fragment.text += "?"
            fragment.parameters.append(parameter)
        }
    }

    mutating func append(_ other: SQLFragment) {
        presence = nil
        text += other.text
        parameters += other.parameters
    }
}

extension SQLFragment {
    /// The value of a column that may have it in a file.
    static func externalValue(of column: SQLFragment) -> SQLFragment {
        var value: SQLFragment = "COFFER_VALUE(\(column))"
        value.presence = column.text
        return value
    }

    /// Pieces one after another.
    static func list(_ pieces: [SQLFragment], separator: SQLFragment = ", ") -> SQLFragment {
        guard var result = pieces.first else { return "" }
        for piece in pieces.dropFirst() {
            result.append(separator)
            result.append(piece)
        }
        return result
    }

    /// Conditions joined by `AND` or `OR` as a balanced tree: SQLite's parser allows a depth of 1,000, not
    /// more.
    static func joined(_ conditions: [SQLFragment], by word: SQLFragment, whenEmpty: SQLFragment)
        -> SQLFragment
    {
        switch conditions.count {
        case 0: return whenEmpty
        case 1: return conditions[0]
        case 2...8: return "(\(list(conditions, separator: " \(word) ")))"
        default:
            let middle = conditions.count / 2
            let left = joined(Array(conditions[..<middle]), by: word, whenEmpty: whenEmpty)
            let right = joined(Array(conditions[middle...]), by: word, whenEmpty: whenEmpty)
            return "(\(left) \(word) \(right))"
        }
    }
}
