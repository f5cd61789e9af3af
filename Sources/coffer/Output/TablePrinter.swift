/// Columns of even width under their names; the first records decide how wide.
final class TablePrinter: ResultPrinter {
    /// So many records are kept back to measure them.
    private static let measuredCount = 1_000
    /// The widest a column gets where a person looks on.
    private static let widestOnTerminal = 60

    private let columns: [String]
    private let output = StandardOutput()
    private var waiting: [[OutputValue]] = []
    private var widths: [Int]?

    init(_ columns: [String]) { self.columns = columns }

    func print(_ values: [OutputValue]) throws {
        if widths == nil {
            waiting.append(values)
            if waiting.count >= Self.measuredCount { try begin() }
        } else {
            try printLine(values)
        }
    }

    func finish() throws {
        if widths == nil { try begin() }
        try output.flush()
    }

    func flush() throws { try finish() }

    private func begin() throws {
        var widths = columns.map(\.count)
        let rows = waiting.map { $0.map { cell($0) } }
        for row in rows {
            for (index, cell) in row.enumerated() {
                widths[index] = max(widths[index], TerminalText.width(of: cell))
            }
        }
        self.widths = widths
        let header = columns.map { OutputValue.text(TablePrinter.title($0)) }
        try printLine(header)
        for row in waiting { try printLine(row) }
        waiting = []
    }

    private func printLine(_ values: [OutputValue]) throws {
        guard let widths else { return }
        var line = ""
        for (index, value) in values.enumerated() {
            let cell = cell(value)
            let padding = String(repeating: " ", count: max(0, widths[index] - TerminalText.width(of: cell)))
            if index > 0 { line += "  " }
            if case .number = value { line += padding + cell } else { line += cell + padding }
        }
        while line.last == " " { line.removeLast() }
        try output.write(line)
    }

    private func cell(_ value: OutputValue) -> String {
        let text = TerminalText.harmless(value.plainText)
        guard StandardOutput.isTerminal, TerminalText.width(of: text) > Self.widestOnTerminal else {
            return text
        }
        return String(text.prefix(Self.widestOnTerminal - 1)) + "…"
    }

    /// `versionHash` as `VERSION HASH`.
    private static func title(_ name: String) -> String {
        var title = ""
        for character in name {
            if character.isUppercase, title.last?.isLowercase == true { title += " " }
            title.append(character)
        }
        return title.contains(".") ? title : title.uppercased()
    }
}

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
