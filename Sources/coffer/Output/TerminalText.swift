/// Text on a terminal.
enum TerminalText {
    /// The text without anything that a terminal would obey.
    static func harmless(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: isControl) else { return text }
        return text.unicodeScalars.map { scalar in
            guard isControl(scalar) else { return String(scalar) }
            return switch scalar {
            case "\n": "\\n"
            case "\t": "\\t"
            case "\r": "\\r"
            default: "\\u{\(String(scalar.value, radix: 16))}"
            }
        }.joined()
    }

    /// The text, or so much of its beginning as fits into a width with a sign that there is more.
    static func cut(_ text: String, to width: Int) -> String {
        if self.width(of: text) <= width { return text }
        var room = width - 1
        let shown = text.prefix { character in
            room -= isWide(character) ? 2 : 1
            return room >= 0
        }
        return width > 0 ? shown + "…" : ""
    }

    /// How many columns the text takes.
    static func width(of text: String) -> Int {
        if text.utf8.allSatisfy({ $0 < 0x80 }) { return text.utf8.count }
        return text.reduce(0) { $0 + (isWide($1) ? 2 : 1) }
    }

    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.generalCategory == .control
            || scalar.properties.generalCategory == .format
                && scalar.value != 0x200D
    }

    private static func isWide(_ character: Character) -> Bool {
        guard let first = character.unicodeScalars.first else { return false }
        switch first.value {
        case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF,
            0xFE30...0xFE6F,
            0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1F64F, 0x1F900...0x1F9FF, 0x20000...0x3FFFD:
            return true
        default:
            // Two letters of a flag are shown as one picture.
            return character.unicodeScalars.count == 2 && first.properties.isEmojiPresentation
        }
    }
}
