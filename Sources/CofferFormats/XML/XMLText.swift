/// Text as XML 1.0 holds it.
enum XMLText {
    /// `text` as it stands in an element or an attribute's quotation marks; `nil` if it has a character that
    /// no document can hold, such as U+0000.
    static func escaped(_ text: String) -> String? {
        if text.utf8.allSatisfy(isPlain) { return text }
        var escaped = ""
        escaped.reserveCapacity(text.utf8.count)
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            case "\r": escaped += "&#13;"  // Readers make a line end of it otherwise.
            case "\n", "\t": escaped.unicodeScalars.append(scalar)
            case "\u{0}"..<" ", "\u{FFFE}", "\u{FFFF}": return nil
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }

    /// Whether a byte of UTF-8 stands in a document as it is, and so may whatever it is of.
    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "&"), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "\""): false
        // U+FFFE and U+FFFF begin with this one.
        case 0xEF: false
        case 0x20...: true
        default: byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\t")
        }
    }
}
