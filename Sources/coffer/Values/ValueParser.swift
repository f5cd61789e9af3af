import Coffer
import CofferFormats
import CofferModel
import FoundationEssentials

/// Reads values of attributes from text.
enum ValueParser {
    /// The value that `text` says for an attribute.
    ///
    /// Errors call the attribute by `place`, for example `Country.numeric`.
    static func value(
        _ text: String, of type: AttributeType, place: String
    ) throws(ToolError) -> AttributeValue {
        if let value = value(text, type) { return value }
        let shown = text.count > shownLength ? text.prefix(shownLength) + "…" : text[...]
        throw ToolError(.data, "'\(shown)' does not fit '\(place)', which takes \(description(type)).")
    }

    /// So many characters of a value are shown in an error.
    private static let shownLength = 60

    private static func value(_ text: String, _ type: AttributeType) -> AttributeValue? {
        switch type {
        case .integer16, .integer32, .integer64:
            guard let number = integer(text), type.integerRange?.contains(number) ?? false else { return nil }
            return .integer(number)
        case .decimal: return decimal(text).map { .decimal($0) }
        case .double: return Double(text).flatMap { $0.isFinite ? .double($0) : nil }
        case .float: return Float(text).flatMap { $0.isFinite ? .float($0) : nil }
        case .string: return .string(text)
        case .boolean: return truth(text).map { .boolean($0) }
        case .date: return DateText.date(text).map { .date($0) }
        case .binary: return Base64.bytes(of: text).map { .binary($0) }
        case .uuid: return UUID(uuidString: text).map { .uuid($0) }
        case .uri: return .uri(text)
        case .transformable: return Base64.bytes(of: text).map { .transformable($0) }
        }
    }

    /// Files write whole numbers as `3.0` and `1e3` too.
    private static func integer(_ text: String) -> Int64? {
        Int64(text) ?? decimal(text).flatMap { Int64($0.description) }
    }

    private static func decimal(_ text: String) -> Decimal? {
        // Foundation rounds what has more digits than it keeps, without a word.
        guard let number = Decimal(exactText: text), digits(number.description) == digits(text) else {
            return nil
        }
        return number
    }

    /// The digits that count: no zeros at either end, no sign, point or exponent.
    private static func digits(_ text: String) -> Substring {
        var digits = text.prefix { $0 != "e" && $0 != "E" }.filter(\.isNumber).drop { $0 == "0" }
        while digits.last == "0" { digits.removeLast() }
        return digits
    }

    private static func truth(_ text: String) -> Bool? {
        switch text.lowercased() {
        case "true", "yes", "1": true
        case "false", "no", "0": false
        default: nil
        }
    }

    /// What an attribute of the type takes, for people.
    static func description(_ type: AttributeType) -> String {
        switch type {
        case .integer16: "an integer from -32768 to 32767"
        case .integer32: "an integer from -2147483648 to 2147483647"
        case .integer64: "an integer of 64 bits"
        case .decimal: "a decimal number such as 12.50, of at most 38 digits"
        case .double, .float: "a number"
        case .string: "text"
        case .boolean: "true or false"
        case .date: "a date such as 2026-01-31 or 2026-01-31T12:00:00Z"
        case .binary: "bytes in base 64"
        case .uuid: "a UUID such as 123E4567-E89B-12D3-A456-426614174000"
        case .uri: "a URI"
        case .transformable: "the transformer's bytes in base 64"
        }
    }
}
