/// Reads a JSON text as RFC 8259 has it, strictly, and knows where it stops being one.
///
/// Numbers stay the texts that they are, so that they keep all their digits. If an object has a name twice,
/// the later value counts.
struct JSONParser {
    /// So many lists and objects may be in one another.
    static let deepest = 512

    private let bytes: [UInt8]
    private var offset = 0

    private init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// The value that a text in UTF-8 is.
    static func value(of bytes: [UInt8]) throws(JSONFault) -> JSONValue {
        do throws(UTF8.ValidationError) {
            _ = try UTF8Span(validating: bytes.span)
        } catch {
            throw JSONFault("this is not UTF-8", at: error.byteOffsets.lowerBound, in: bytes)
        }
        var parser = JSONParser(bytes)
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { parser.offset = 3 }
        let value = try parser.value(0)
        parser.skipBlanks()
        guard parser.next == nil else { throw parser.expected("the end of the file") }
        return value
    }

    private var next: UInt8? { offset < bytes.count ? bytes[offset] : nil }

    private func expected(_ what: String) -> JSONFault {
        JSONFault("\(what) was expected", at: offset, in: bytes)
    }

    private mutating func value(_ level: Int) throws(JSONFault) -> JSONValue {
        skipBlanks()
        switch next.map({ Unicode.Scalar($0) }) {
        case "{", "[":
            guard level < Self.deepest else {
                throw JSONFault("it is nested more than \(Self.deepest) deep", at: offset, in: bytes)
            }
            return take("{") ? try object(level + 1) : try list(level + 1)
        case "\"": return .text(try string())
        case "t": return try word("true", .boolean(true))
        case "f": return try word("false", .boolean(false))
        case "n": return try word("null", .null)
        case "-", ("0"..."9")?: return .number(try number())
        default: throw expected("a value")
        }
    }

    private mutating func list(_ level: Int) throws(JSONFault) -> JSONValue {
        offset += 1
        skipBlanks()
        var values: [JSONValue] = []
        if take("]") { return .list(values) }
        while true {
            values.append(try value(level))
            skipBlanks()
            if take("]") { return .list(values) }
            if !take(",") { throw expected("',' or ']'") }
        }
    }

    /// Reads an object's members; the brace before them was taken.
    private mutating func object(_ level: Int) throws(JSONFault) -> JSONValue {
        skipBlanks()
        var members: [String: JSONValue] = [:]
        if take("}") { return .object(members) }
        while true {
            skipBlanks()
            guard next == UInt8(ascii: "\"") else { throw expected("a name in double quotes") }
            let name = try string()
            skipBlanks()
            if !take(":") { throw expected("':'") }
            members[name] = try value(level)
            skipBlanks()
            if take("}") { return .object(members) }
            if !take(",") { throw expected("',' or '}'") }
        }
    }

    private mutating func word(_ word: String, _ value: JSONValue) throws(JSONFault) -> JSONValue {
        guard bytes[offset...].starts(with: word.utf8) else { throw expected("a value") }
        offset += word.utf8.count
        return value
    }

    private mutating func number() throws(JSONFault) -> String {
        let start = offset
        _ = take("-")
        let first = offset
        try digits()
        if bytes[first] == UInt8(ascii: "0"), offset > first + 1 {
            throw JSONFault("a number must not begin with a zero", at: first, in: bytes)
        }
        if take(".") { try digits() }
        if take("e") || take("E") {
            if !take("+") { _ = take("-") }
            try digits()
        }
        return String(decoding: bytes[start..<offset], as: UTF8.self)
    }

    private mutating func digits() throws(JSONFault) {
        let start = offset
        while let byte = next, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { offset += 1 }
        if offset == start { throw expected("a digit") }
    }

    private mutating func take(_ character: Character) -> Bool {
        guard next == character.asciiValue else { return false }
        offset += 1
        return true
    }

    private mutating func skipBlanks() {
        while let byte = next, " \n\r\t".utf8.contains(byte) { offset += 1 }
    }
}

extension JSONParser {
    private mutating func string() throws(JSONFault) -> String {
        offset += 1
        var text: [UInt8] = []
        while true {
            let plain = bytes[offset...].prefix {
                $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") && $0 >= 0x20
            }
            text += plain
            offset = plain.endIndex
            if take("\"") { return String(decoding: text, as: UTF8.self) }
            switch next {
            case nil: throw expected("'\"'")
            case UInt8(ascii: "\\"): text += Array(String(Character(try escaped())).utf8)
            default: throw expected("'\"', or '\\n' for a line's end")
            }
        }
    }

    /// What a backslash and the characters after it say.
    private mutating func escaped() throws(JSONFault) -> Unicode.Scalar {
        let start = offset
        offset += 1
        guard let byte = next else { throw expected("a character after '\\'") }
        offset += 1
        switch Unicode.Scalar(byte) {
        case "\"", "\\", "/": return Unicode.Scalar(byte)
        case "b": return "\u{8}"
        case "f": return "\u{C}"
        case "n": return "\n"
        case "r": return "\r"
        case "t": return "\t"
        case "u": return try codePoint(from: start)
        default:
            offset = start
            throw expected("'\\\\' for a backslash")
        }
    }

    /// The scalar that the digits after `\u` say, or the two halves of one.
    private mutating func codePoint(from start: Int) throws(JSONFault) -> Unicode.Scalar {
        let first = try codeUnit()
        if let scalar = Unicode.Scalar(first) { return scalar }
        guard UTF16.isLeadSurrogate(first), take("\\"), take("u"), case let second = try codeUnit(),
            UTF16.isTrailSurrogate(second)
        else {
            throw JSONFault("'\\u' has half a character here", at: start, in: bytes)
        }
        return UTF16.decode(UTF16.EncodedScalar([first, second]))
    }

    private mutating func codeUnit() throws(JSONFault) -> UInt16 {
        var unit: UInt16 = 0
        for _ in 0..<4 {
            guard let digit = next.flatMap({ Character(Unicode.Scalar($0)).hexDigitValue }) else {
                throw expected("one of four hexadecimal digits")
            }
            unit = unit << 4 | UInt16(digit)
            offset += 1
        }
        return unit
    }
}
