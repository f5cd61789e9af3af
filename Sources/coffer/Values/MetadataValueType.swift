import ArgumentParser
import CofferFormats
import CofferModel

/// The kinds of values that metadata have, as the command line names them.
enum MetadataValueType: String, ExpressibleByArgument, CaseIterable {
    case string
    case integer
    case real
    case boolean
    case date
    case data
    case plist

    /// All of them, for help.
    static var names: String { allCases.map { "'\($0.rawValue)'" }.joined(separator: ", ") }

    /// The value that a text says.
    func value(_ text: String, of key: String) throws -> PropertyListValue {
        let value: PropertyListValue? =
            switch self {
            case .string: .string(text)
            case .integer: Int64(text).map { .integer($0) }
            case .real: Double(text).map { .real($0) }
            case .boolean: Bool(text).map { .boolean($0) }
            case .date: DateText.date(text).map { .date($0) }
            case .data: Base64.bytes(of: text).map { .data($0) }
            case .plist: try XMLPropertyListReader.read(Array(text.utf8), file: "the value of '\(key)'")
            }
        guard let value else { throw ToolError(.usage, "The value of '\(key)' is not of the type \(self).") }
        return value
    }
}

extension PropertyListValue {
    /// What kind of value it is, for people.
    var kind: String {
        switch self {
        case .dictionary: "dictionary"
        case .array: "array"
        case .string: "string"
        case .data: "data"
        case .date: "date"
        case .integer, .largeInteger: "integer"
        case .real: "real"
        case .boolean: "boolean"
        case .reference: "reference"
        case .null: "null"
        }
    }

    /// It as the command line takes it: bytes in base 64, lists and dictionaries as a property list in XML.
    func text() throws -> String {
        switch self {
        case .string(let text): text
        case .data(let bytes): Base64.text(of: bytes)
        case .date(let date): DateText.text(of: date)
        case .integer(let number): String(number)
        case .largeInteger(let number): String(number)
        case .real(let number): String(number)
        case .boolean(let isTrue): String(isTrue)
        case .null: "null"
        case .dictionary, .array, .reference: try XMLPropertyListWriter.lines(of: self, depth: 0)
        }
    }
}
