extension FormatLexer {
    /// A number, in decimal, hexadecimal, octal or binary notation.
    mutating func number() throws(QueryError) -> FormatToken {
        let start = position
        if peek() == UInt8(ascii: "0"), let radix = radix(peek(1)) {
            position += 2
            guard let value = UInt64(name(), radix: radix) else {
                throw failure(at: start, expected: "an integer of at most 64 bits")
            }
            return .integer(value)
        }
        skipDigits()
        var isInteger = true
        if peek() == UInt8(ascii: "."), Self.isDigit(peek(1)) {
            isInteger = false
            position += 1
            skipDigits()
        }
        if let byte = peek(), byte | 0x20 == UInt8(ascii: "e") {
            let sign = peek(1) == UInt8(ascii: "+") || peek(1) == UInt8(ascii: "-")
            if Self.isDigit(peek(sign ? 2 : 1)) {
                isInteger = false
                position += sign ? 2 : 1
                skipDigits()
            }
        }
        let digits = String(decoding: bytes[start..<position], as: UTF8.self)
        guard !Self.isNameByte(peek()) else { throw failure(at: position, expected: "the end of a number") }
        if isInteger, let value = UInt64(digits) { return .integer(value) }
        guard !isInteger, let value = Double(digits.first == "." ? "0" + digits : digits) else {
            throw failure(at: start, expected: "an integer of at most 64 bits")
        }
        return .double(value)
    }

    private mutating func skipDigits() {
        while Self.isDigit(peek()) { position += 1 }
    }

    private func radix(_ letter: UInt8?) -> Int? {
        switch letter.map({ $0 | 0x20 }) {
        case UInt8(ascii: "x"): 16
        case UInt8(ascii: "o"): 8
        case UInt8(ascii: "b"): 2
        default: nil
        }
    }
}

extension FormatLexer {
    /// Text from its opening quote on.
    mutating func text(quote: UInt8) throws(QueryError) -> String {
        let start = position
        position += 1
        var result: [UInt8] = []
        while let byte = peek() {
            position += 1
            switch byte {
            case quote: return String(decoding: result, as: UTF8.self)
            case UInt8(ascii: "\\"): try escape(into: &result)
            default: result.append(byte)
            }
        }
        throw failure(at: start, expected: "a closing quote for this one")
    }

    /// What follows a backslash.
    ///
    /// A backslash before any other character stays, for the sake of patterns: `'a\*b'`, `'\d+'`.
    private mutating func escape(into result: inout [UInt8]) throws(QueryError) {
        let start = position - 1
        guard let byte = peek() else { throw failure(at: start, expected: "a character after the backslash") }
        position += 1
        switch byte {
        case UInt8(ascii: "n"): result.append(0x0a)
        case UInt8(ascii: "t"): result.append(0x09)
        case UInt8(ascii: "r"): result.append(0x0d)
        case UInt8(ascii: "\\"), UInt8(ascii: "'"), UInt8(ascii: "\""): result.append(byte)
        case UInt8(ascii: "x"): try append(code: code(digits: 2, radix: 16), from: start, to: &result)
        case UInt8(ascii: "u"): try append(code: utf16(), from: start, to: &result)
        case UInt8(ascii: "0")...UInt8(ascii: "7"):
            position -= 1
            try append(code: code(digits: 3, radix: 8), from: start, to: &result)
        default: result += [UInt8(ascii: "\\"), byte]
        }
    }

    private mutating func code(digits: Int, radix: Int) -> UInt32? {
        guard position + digits <= bytes.count else { return nil }
        let range = position..<(position + digits)
        guard bytes[range].allSatisfy(Self.isNameByte) else { return nil }
        position += digits
        return UInt32(String(decoding: bytes[range], as: UTF8.self), radix: radix)
    }

    /// Four hexadecimal digits; two times four if they are halves of one scalar.
    private mutating func utf16() -> UInt32? {
        guard let high = code(digits: 4, radix: 16) else { return nil }
        guard (0xd800..<0xdc00).contains(high) else { return high }
        guard peek() == UInt8(ascii: "\\"), peek(1) == UInt8(ascii: "u") else { return nil }
        position += 2
        guard let low = code(digits: 4, radix: 16), (0xdc00..<0xe000).contains(low) else { return nil }
        return 0x10000 + (high - 0xd800) << 10 + (low - 0xdc00)
    }

    private func append(
        code: UInt32?, from start: Int, to result: inout [UInt8]
    ) throws(QueryError) {
        guard let scalar = code.flatMap(Unicode.Scalar.init) else {
            throw failure(at: start, expected: "the digits of a character after the backslash")
        }
        result += Array(String(Character(scalar)).utf8)
    }
}
