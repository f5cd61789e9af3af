import Coffer
import CofferFormats
import CofferModel
import FoundationEssentials

/// A field of what is printed.
enum OutputValue {
    case null
    case text(String)
    /// A number as JSON writes it.
    case number(String)
    case boolean(Bool)
    case list([OutputValue])
    case record([(name: String, value: OutputValue)])

    static func integer(_ number: some BinaryInteger) -> OutputValue { .number("\(number)") }

    static func texts(_ texts: [String]) -> OutputValue { .list(texts.map { .text($0) }) }

    /// An object's value, in the form that `ValueParser` reads.
    init(_ value: AttributeValue) {
        self =
            switch value {
            case .null: .null
            case .integer(let number): .integer(number)
            case .boolean(let truth): .boolean(truth)
            case .double(let number): .init(floating: number.description, isFinite: number.isFinite)
            case .float(let number): .init(floating: number.description, isFinite: number.isFinite)
            case .decimal(let number): .init(floating: number.description, isFinite: !number.isNaN)
            case .string(let text), .uri(let text): .text(text)
            case .date(let date): .text(DateText.text(of: date))
            case .binary(let bytes), .transformable(let bytes): .text(Base64.text(of: bytes))
            case .uuid(let uuid): .text(uuid.uuidString)
            case .object(let id): .text(id.shortName)
            }
    }

    private init(floating text: String, isFinite: Bool) {
        guard isFinite else {
            self = .text(text)
            return
        }
        // Swift writes 5e-324 and 1e+20, both of which JSON knows; and 1.0, which needs no zero.
        self = .number(text.hasSuffix(".0") ? String(text.dropLast(2)) : text)
    }

    /// Whether it is a number, which is never cut, and stands at the right.
    var isNumber: Bool { if case .number = self { true } else { false } }

    /// As it stands in a cell of a table or of CSV.
    var plainText: String {
        switch self {
        case .null: ""
        case .text(let text), .number(let text): text
        case .boolean(let truth): truth ? "true" : "false"
        case .list(let values): values.map(\.plainText).joined(separator: ", ")
        case .record(let fields): fields.map { "\($0.name) \($0.value.plainText)" }.joined(separator: ", ")
        }
    }

    /// As it stands in a sentence.
    var quotedText: String {
        switch self {
        case .text(let text): "'\(text)'"
        case .null: "null"
        default: plainText
        }
    }

    /// As it stands in JSON.
    var jsonText: String {
        var text = ""
        appendJSON(to: &text)
        return text
    }

    private func appendJSON(to text: inout String) {
        switch self {
        case .null: text += "null"
        case .text(let value): OutputValue.appendJSON(value, to: &text)
        case .number(let number): text += number
        case .boolean(let truth): text += truth ? "true" : "false"
        case .list(let values):
            text += "["
            for (index, value) in values.enumerated() {
                if index > 0 { text += "," }
                value.appendJSON(to: &text)
            }
            text += "]"
        case .record(let fields):
            text += "{"
            for (index, field) in fields.enumerated() {
                if index > 0 { text += "," }
                OutputValue.appendJSON(field.name, to: &text)
                text += ":"
                field.value.appendJSON(to: &text)
            }
            text += "}"
        }
    }

    private static func appendJSON(_ value: String, to text: inout String) {
        text += "\""
        for scalar in value.unicodeScalars {
            switch scalar {
            case "\"": text += "\\\""
            case "\\": text += "\\\\"
            case "\n": text += "\\n"
            case "\r": text += "\\r"
            case "\t": text += "\\t"
            case "\u{0}"..<" ", "\u{7F}", "\u{2028}", "\u{2029}":
                let digits = String(scalar.value, radix: 16)
                text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: text.unicodeScalars.append(scalar)
            }
        }
        text += "\""
    }
}
