/// How names of a model are written in Swift.
enum SwiftName {
    /// A name as it stands in a declaration, in backticks if Swift has a meaning for it.
    static func declared(_ name: String) -> String { keywords.contains(name) ? "`\(name)`" : name }

    /// Words that no member of a type can be called, with backticks or without, and be reached like others.
    static let unreachable: Set<String> = ["init", "self", "Self", "Type", "Protocol", "_"]

    /// A name in lower camel case made of any text: `Recent notes` becomes `recentNotes`; empty if nothing is
    /// left of it.
    static func lowerCamel(_ text: String) -> String {
        let name = camel(text)
        let head = name.prefix { $0.isUppercase }
        // A run of capitals is an acronym, whose last letter begins the next word.
        let count = head.count > 1 && head.count < name.count ? head.count - 1 : head.count
        return name.prefix(count).lowercased() + name.dropFirst(count)
    }

    /// A name in upper camel case made of any text.
    static func upperCamel(_ text: String) -> String {
        let name = camel(text)
        return name.prefix(1).uppercased() + name.dropFirst()
    }

    private static func camel(_ text: String) -> String {
        let words = text.split { !($0.isASCII && ($0.isLetter || $0.isNumber) || $0 == "_") }
        let name =
            words.prefix(1).joined()
            + words.dropFirst().map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
        return name.first?.isNumber == true ? "_" + name : name
    }

    /// Whether a text is a name that Swift can have.
    static func isIdentifier(_ text: String) -> Bool {
        guard let first = text.utf8.first, !isDigit(first) else { return false }
        return text.utf8.allSatisfy { isDigit($0) || isLetter($0) }
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "_") || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte & 0xDF)
    }

    /// Text as a literal.
    static func literal(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\\": result += "\\\\"
            case "\"": result += "\\\""
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            case "\0": result += "\\0"
            default:
                let isPlain =
                    scalar.value >= 0x20 && scalar.value != 0x7F
                    && !scalar.properties.isDefaultIgnorableCodePoint
                if isPlain {
                    result.unicodeScalars.append(scalar)
                } else {
                    result += "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
                }
            }
        }
        return result + "\""
    }

    private static let keywords: Set<String> = [
        "Any", "Self", "any", "as", "associatedtype", "break", "case", "catch", "class", "continue",
        "default",
        "defer",
        "deinit", "didSet", "do", "each", "else", "enum", "extension", "fallthrough", "false", "fileprivate",
        "for",
        "func",
        "get", "guard",
        "if", "import", "in", "init", "inout", "internal", "is", "let", "nil", "operator", "precedencegroup",
        "private", "protocol", "public", "repeat", "rethrows", "return", "self", "set", "some", "static",
        "struct",
        "subscript",
        "super", "switch", "throw", "throws", "true", "try", "typealias", "var", "where", "while",
        "willSet",
    ]
}
