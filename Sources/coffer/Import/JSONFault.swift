/// Where a text stops being JSON, which Foundation does not tell.
struct JSONFault {
    /// Counted from 1, the column in characters of Unicode.
    let line: Int
    let column: Int
    /// What should stand there.
    let expected: String

    /// The first fault of a text; `nil` where none is found.
    init?(in bytes: [UInt8]) {
        var scanner = JSONScanner(bytes: bytes)
        guard let expected = scanner.fault() else { return nil }
        let before = bytes[..<min(scanner.offset, bytes.count)]
        let start = before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
        line = before.count { $0 == UInt8(ascii: "\n") } + 1
        column = before[start...].count { $0 & 0xC0 != 0x80 } + 1
        self.expected = expected
    }
}

/// Goes through a JSON text up to its first fault.
private struct JSONScanner {
    /// What is nested deeper is refused before it gets here.
    private static let depth = 1_000

    let bytes: [UInt8]
    private(set) var offset = 0

    init(bytes: [UInt8]) { self.bytes = bytes }

    private var next: UInt8? { offset < bytes.count ? bytes[offset] : nil }

    /// What is expected where the text goes wrong; `nil` where it does not.
    mutating func fault() -> String? {
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { offset = 3 }
        if let fault = value(0) { return fault }
        skipBlanks()
        return next == nil ? nil : "the end of the file"
    }

    private mutating func value(_ level: Int) -> String? {
        skipBlanks()
        switch next.map({ Character(Unicode.Scalar($0)) }) {
        case "{" where level < Self.depth: return list("}") { (scanner) in scanner.member(level) }
        case "[" where level < Self.depth: return list("]") { (scanner) in scanner.value(level + 1) }
        case "\"": return string()
        case "t": return word("true")
        case "f": return word("false")
        case "n": return word("null")
        case let first? where first == "-" || first.isWholeNumber: return number()
        default: return "a value"
        }
    }

    private mutating func list(_ end: Character, _ element: (inout JSONScanner) -> String?) -> String? {
        offset += 1
        skipBlanks()
        if take(end) { return nil }
        while true {
            if let fault = element(&self) { return fault }
            skipBlanks()
            if take(end) { return nil }
            if !take(",") { return "',' or '\(end)'" }
        }
    }

    private mutating func member(_ level: Int) -> String? {
        skipBlanks()
        guard next == UInt8(ascii: "\"") else { return "a name in double quotes" }
        if let fault = string() { return fault }
        skipBlanks()
        return take(":") ? value(level + 1) : "':'"
    }

    private mutating func string() -> String? {
        offset += 1
        while let byte = next {
            switch byte {
            case UInt8(ascii: "\""):
                offset += 1
                return nil
            case 0..<0x20: return "'\"', or '\\n' for a line's end"
            case UInt8(ascii: "\\"):
                guard offset + 1 < bytes.count, "\"\\/bfnrtu".utf8.contains(bytes[offset + 1]) else {
                    return "'\\\\' for a backslash"
                }
                offset += 2
            default: offset += 1
            }
        }
        return "'\"'"
    }

    private mutating func word(_ word: String) -> String? {
        guard bytes[offset...].starts(with: word.utf8) else { return "a value" }
        offset += word.utf8.count
        return nil
    }

    private mutating func number() -> String? {
        _ = take("-")
        if !digits() { return "a digit" }
        if take("."), !digits() { return "a digit" }
        if take("e") || take("E") {
            if !take("+") { _ = take("-") }
            if !digits() { return "a digit" }
        }
        return nil
    }

    private mutating func digits() -> Bool {
        let start = offset
        while let byte = next, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { offset += 1 }
        return offset > start
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
