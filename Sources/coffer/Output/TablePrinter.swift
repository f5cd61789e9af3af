/// Columns of even width under their names, or below one another if a terminal is too narrow for that.
///
/// The first records decide how wide.
final class TablePrinter: ResultPrinter {
    /// So many records are kept back to measure them.
    private static let measuredCount = 1_000
    /// So much is shown of a value that has a line of its own.
    private static let longest = 1_000

    private let titles: [String]
    private let output = StandardOutput()
    private var waiting: [[OutputValue]] = []
    private var layout: TableLayout?
    private var isFirst = true

    init(_ columns: [String]) { titles = columns.map { TablePrinter.title($0) } }

    func print(_ values: [OutputValue]) throws {
        if let layout { return try printRecord(values, layout) }
        waiting.append(values)
        if waiting.count >= Self.measuredCount { try begin() }
    }

    func finish() throws {
        if layout == nil { try begin() }
        try output.flush()
    }

    func flush() throws { try finish() }

    private func begin() throws {
        let layout = TableLayout(titles, waiting, terminalWidth: StandardOutput.columns)
        self.layout = layout
        if case .table(let widths, let cuts) = layout {
            try printLine(titles.map { .text($0) }, widths, cuts: cuts)
        }
        for values in waiting { try printRecord(values, layout) }
        waiting = []
    }

    private func printRecord(_ values: [OutputValue], _ layout: TableLayout) throws {
        switch layout {
        case .table(let widths, let cuts): try printLine(values, widths, cuts: cuts)
        case .records(let width): try printLines(values, width)
        }
    }

    private func printLine(_ values: [OutputValue], _ widths: [Int], cuts: Bool) throws {
        var line = ""
        for (value, width) in zip(values, widths) {
            var cell = TerminalText.harmless(value.plainText)
            if cuts, !value.isNumber { cell = TerminalText.cut(cell, to: width) }
            let padding = String(repeating: " ", count: max(0, width - TerminalText.width(of: cell)))
            line += value.isNumber ? padding + cell : cell + padding
            line += "  "
        }
        while line.last == " " { line.removeLast() }
        try output.write(line)
    }

    /// A line for each value, behind its name.
    private func printLines(_ values: [OutputValue], _ width: Int) throws {
        if !isFirst { try output.write("") }
        isFirst = false
        for (title, value) in zip(titles, values) {
            let padding = String(repeating: " ", count: width - TerminalText.width(of: title))
            let text = TerminalText.cut(TerminalText.harmless(value.plainText), to: Self.longest)
            try output.write(text.isEmpty ? title : "\(title)\(padding)  \(text)")
        }
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

/// How the records of a table are laid out.
enum TableLayout {
    /// In columns of these widths; `cuts` says whether longer texts are cut, or run over.
    case table([Int], cuts: Bool)
    /// One value below the other, since a terminal is too narrow for all; names take so many columns.
    case records(nameWidth: Int)

    /// The widest that texts get on a terminal; if there is room for less, all get less, but not below
    /// `narrowest`.
    private static let widest = 60
    private static let narrowest = 30
    /// The widest that padding makes a column if the output is not a terminal: one long value then costs the
    /// other rows only so much.
    private static let widestElsewhere = 100

    init(_ titles: [String], _ records: [[OutputValue]], terminalWidth: Int?) {
        var widths = titles.map { TerminalText.width(of: $0) }
        var isNumber = titles.map { _ in false }
        for record in records {
            for (index, value) in record.enumerated() {
                let width = TerminalText.width(of: TerminalText.harmless(value.plainText))
                widths[index] = max(widths[index], width)
                if value.isNumber { isNumber[index] = true }
            }
        }
        guard let terminalWidth else {
            self = .table(widths.map { min($0, Self.widestElsewhere) }, cuts: false)
            return
        }
        for widest in stride(from: Self.widest, through: Self.narrowest, by: -1) {
            let some = zip(widths, isNumber).map { $1 ? $0 : min($0, widest) }
            guard some.reduce(0, +) + 2 * (some.count - 1) <= terminalWidth else { continue }
            self = .table(some, cuts: true)
            return
        }
        self = .records(nameWidth: titles.map { TerminalText.width(of: $0) }.max() ?? 0)
    }
}
