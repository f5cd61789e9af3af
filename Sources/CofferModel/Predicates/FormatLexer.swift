/// Splits a predicate's format into tokens, one at a time.
struct FormatLexer {
    private let format: String
    let bytes: [UInt8]
    var position = 0

    init(_ format: String) {
        self.format = format
        bytes = Array(format.utf8)
    }

    /// The error for the bytes that begin at `offset`.
    func failure(at offset: Int, expected: String) -> QueryError {
        .unexpected(at: place(offset), expected: expected)
    }

    /// Where the bytes that begin at `offset` stand, in characters.
    func place(_ offset: Int) -> FormatPlace {
        let index = format.utf8.index(format.startIndex, offsetBy: min(offset, bytes.count))
        return FormatPlace(format: format, offset: format[..<index].count)
    }

    /// The next token and the byte where it begins.
    mutating func next() throws(QueryError) -> (token: FormatToken, offset: Int) {
        while let byte = peek(), byte == 0x20 || (0x09...0x0d).contains(byte) { position += 1 }
        let start = position
        guard let byte = peek() else { return (.end, start) }
        switch byte {
        case UInt8(ascii: "'"), UInt8(ascii: "\""): return (.text(try text(quote: byte)), start)
        case UInt8(ascii: "0")...UInt8(ascii: "9"): return (try number(), start)
        case UInt8(ascii: ".") where Self.isDigit(peek(1)): return (try number(), start)
        case UInt8(ascii: "#"), UInt8(ascii: "$"), UInt8(ascii: "@"): return (try marked(byte), start)
        case UInt8(ascii: "%"): return (try placeholder(), start)
        default:
            return Self.isNameByte(byte) ? (.word(functionName()), start) : (try sign(), start)
        }
    }

    /// Whether the token that was read last is followed by an opening parenthesis.
    var isBeforeParenthesis: Bool { isFollowed(by: "(") }

    /// Whether `sign` follows the token that was read last.
    func isFollowed(by sign: Unicode.Scalar) -> Bool {
        bytes[position...].first { $0 != 0x20 && !(0x09...0x0d).contains($0) } == UInt8(ascii: sign)
    }

    func peek(_ distance: Int = 0) -> UInt8? {
        position + distance < bytes.count ? bytes[position + distance] : nil
    }
}

extension FormatLexer {
    /// Letters, digits, `_` and whatever is not ASCII.
    static func isNameByte(_ byte: UInt8?) -> Bool {
        guard let byte else { return false }
        return switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), 0x80...:
            true
        default: false
        }
    }

    static func isDigit(_ byte: UInt8?) -> Bool {
        byte.map { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } ?? false
    }

    mutating func name() -> String {
        let start = position
        while Self.isNameByte(peek()) { position += 1 }
        return String(decoding: bytes[start..<position], as: UTF8.self)
    }

    /// A name, with the colons of a function's name: `add:to:`.
    private mutating func functionName() -> String {
        var result = name()
        while peek() == UInt8(ascii: ":"), peek(1) != UInt8(ascii: "=") {
            position += 1
            result += ":" + name()
        }
        return result
    }

    private mutating func marked(_ mark: UInt8) throws(QueryError) -> FormatToken {
        position += 1
        let start = position
        let name = name()
        guard !name.isEmpty else { throw failure(at: start, expected: "a name") }
        return switch mark {
        case UInt8(ascii: "$"): .variable(name)
        case UInt8(ascii: "@"): .key("@" + name)
        default: .key(name)
        }
    }

    /// Every spelling with its canonical one, the longest first.
    private static let signs: [(spelling: [UInt8], sign: String)] = [
        ("&&", "&&"), ("||", "||"), ("**", "**"), ("==", "=="), ("!=", "!="), ("<>", "!="), ("<=", "<="),
        ("=<", "<="), (">=", ">="), ("=>", ">="), ("=", "=="), ("<", "<"), (">", ">"), ("!", "!"), ("+", "+"),
        ("-", "-"), ("*", "*"), ("/", "/"), ("(", "("), (")", ")"), ("{", "{"), ("}", "}"), ("[", "["),
        ("]", "]"),
        (",", ","), (".", "."),
    ].map { (Array($0.0.utf8), $0.1) }

    private mutating func sign() throws(QueryError) -> FormatToken {
        for (spelling, sign) in Self.signs where bytes[position...].starts(with: spelling) {
            position += spelling.count
            return .sign(sign)
        }
        throw failure(at: position, expected: "a name, value or operator")
    }

    private mutating func placeholder() throws(QueryError) -> FormatToken {
        let start = position
        position += 1
        while let byte = peek(), [UInt8(ascii: "l"), UInt8(ascii: "h"), UInt8(ascii: "q")].contains(byte) {
            position += 1
        }
        guard let byte = peek() else { throw failure(at: start, expected: "a placeholder such as %@") }
        position += 1
        switch byte {
        case UInt8(ascii: "@"): return .placeholder("@")
        case UInt8(ascii: "K"): return .placeholder("K")
        case UInt8(ascii: "%"): return .sign("%")
        case UInt8(ascii: "c"), UInt8(ascii: "C"): return .placeholder("c")
        case UInt8(ascii: "d"), UInt8(ascii: "D"), UInt8(ascii: "i"), UInt8(ascii: "u"), UInt8(ascii: "U"),
            UInt8(ascii: "x"), UInt8(ascii: "X"), UInt8(ascii: "o"):
            return .placeholder("d")
        case UInt8(ascii: "f"), UInt8(ascii: "F"), UInt8(ascii: "e"), UInt8(ascii: "E"), UInt8(ascii: "g"),
            UInt8(ascii: "G"), UInt8(ascii: "a"):
            return .placeholder("f")
        default: throw failure(at: start, expected: "a placeholder such as %@, %K, %d or %f")
        }
    }
}
