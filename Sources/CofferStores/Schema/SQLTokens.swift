/// The words and signs of an SQL text, divided as SQLite divides them; comments are left out.
struct SQLTokens {
    /// One word or sign.
    enum Token: Equatable {
        /// A keyword or a bare name, in capitals.
        case word(String)
        /// A name in quotes, without the quotes.
        case quoted(String)
        /// A text or a number.
        case literal
        /// Any other byte.
        case sign(UInt8)
    }

    /// The tokens in order; `nil` if a quotation or a comment does not end.
    let all: [Token]?

    init(_ sql: String) {
        var scanner = Scanner(bytes: Array(sql.utf8))
        all = scanner.scan()
    }
}

extension SQLTokens.Token {
    /// Whether the token is `sign`, an ASCII character.
    func isSign(_ sign: Unicode.Scalar) -> Bool { self == .sign(UInt8(ascii: sign)) }

    /// The bare word, if it is one.
    var word: String? { if case .word(let word) = self { word } else { nil } }

    /// The name that the token may stand for, in capitals: SQLite accepts names in any case, and in quotes.
    var name: String? {
        switch self {
        case .word(let word): word
        case .quoted(let name): name.uppercased()
        case .literal, .sign: nil
        }
    }
}

private struct Scanner {
    let bytes: [UInt8]
    var place = 0
    var tokens: [SQLTokens.Token] = []

    mutating func scan() -> [SQLTokens.Token]? {
        while place < bytes.count {
            guard scanOne() else { return nil }
        }
        return tokens
    }

    private func byte(at index: Int) -> UInt8? { index < bytes.count ? bytes[index] : nil }

    private mutating func scanOne() -> Bool {
        let byte = bytes[place]
        switch byte {
        case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\n"), UInt8(ascii: "\r"), 0x0C: place += 1
        case UInt8(ascii: "-") where self.byte(at: place + 1) == byte: skipLine()
        case UInt8(ascii: "/") where self.byte(at: place + 1) == UInt8(ascii: "*"): return skipComment()
        case UInt8(ascii: "'"): return takeQuotation(closing: byte) { _ in .literal }
        case UInt8(ascii: "\""), UInt8(ascii: "`"): return takeQuotation(closing: byte) { .quoted($0) }
        case UInt8(ascii: "["): return takeQuotation(closing: UInt8(ascii: "]")) { .quoted($0) }
        case UInt8(ascii: "0")...UInt8(ascii: "9"):
            _ = takeWord()
            tokens.append(.literal)
        case _ where Self.isPart(byte): tokens.append(.word(takeWord()))
        default:
            tokens.append(.sign(byte))
            place += 1
        }
        return true
    }

    private static func isPart(_ byte: UInt8) -> Bool {
        let letter = byte & 0xDF
        return letter >= UInt8(ascii: "A") && letter <= UInt8(ascii: "Z") || byte >= 0x80
            || byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9") || byte == UInt8(ascii: "_")
            || byte == UInt8(ascii: "$")
    }

    private mutating func takeWord() -> String {
        let start = place
        while place < bytes.count, Self.isPart(bytes[place]) { place += 1 }
        return String(decoding: bytes[start..<place], as: UTF8.self).uppercased()
    }

    /// A doubled quotation mark stands for one; `]` ends a name at once.
    private mutating func takeQuotation(closing: UInt8, _ make: (String) -> SQLTokens.Token) -> Bool {
        var content: [UInt8] = []
        place += 1
        while place < bytes.count {
            let byte = bytes[place]
            place += 1
            if byte != closing {
                content.append(byte)
            } else if closing != UInt8(ascii: "]"), self.byte(at: place) == closing {
                content.append(byte)
                place += 1
            } else {
                tokens.append(make(String(decoding: content, as: UTF8.self)))
                return true
            }
        }
        return false
    }

    private mutating func skipLine() {
        while place < bytes.count, bytes[place] != UInt8(ascii: "\n") { place += 1 }
    }

    private mutating func skipComment() -> Bool {
        place += 2
        while place + 1 < bytes.count {
            if bytes[place] == UInt8(ascii: "*"), bytes[place + 1] == UInt8(ascii: "/") {
                place += 2
                return true
            }
            place += 1
        }
        return false
    }
}
