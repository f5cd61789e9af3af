/// Prints records that have equal fields, one after the other.
///
/// Confined. `finish` is called once, after the last record.
protocol ResultPrinter: AnyObject {
    /// Prints one record, a value for each field.
    func print(_ values: [OutputValue]) throws

    /// Prints what was kept back.
    func finish() throws

    /// Writes out what was printed so far, for a user who follows the output.
    func flush() throws
}

/// One JSON object a line.
final class JSONPrinter: ResultPrinter {
    private let columns: [String]
    private let output = StandardOutput()

    init(_ columns: [String]) { self.columns = columns }

    func print(_ values: [OutputValue]) throws {
        try output.write(OutputValue.record(zip(columns, values).map { ($0, $1) }).jsonText)
    }

    func finish() throws { try output.flush() }

    func flush() throws { try output.flush() }
}

/// A line of names, then one line a record, quoted if need be, as RFC 4180 has it but for the ends of lines.
final class CSVPrinter: ResultPrinter {
    private let columns: [String]
    private let output = StandardOutput()
    private var hasHeader = false

    init(_ columns: [String]) { self.columns = columns }

    func print(_ values: [OutputValue]) throws {
        try printHeader()
        try output.write(values.map { CSVPrinter.quoted($0) }.joined(separator: ","))
    }

    func finish() throws {
        try printHeader()
        try output.flush()
    }

    func flush() throws { try output.flush() }

    private func printHeader() throws {
        if hasHeader { return }
        hasHeader = true
        try output.write(columns.map { CSVPrinter.quoted(.text($0)) }.joined(separator: ","))
    }

    private static func quoted(_ value: OutputValue) -> String {
        let text = value.plainText
        // An empty text is quoted, so that it differs from null.
        if text.isEmpty, case .text = value { return "\"\"" }
        let needsQuotes = text.unicodeScalars.contains { ",\"\n\r".unicodeScalars.contains($0) }
        guard needsQuotes || text.hasPrefix(" ") || text.hasSuffix(" ") else { return text }
        let doubled = text.unicodeScalars.map { $0 == "\"" ? "\"\"" : String($0) }.joined()
        return "\"\(doubled)\""
    }
}
