import ArgumentParser

/// How results are printed.
enum OutputFormat: String, ExpressibleByArgument, CaseIterable {
    case table
    case json
    case csv
}

/// `--format`, `--json` and `--csv`, alike for every command.
struct OutputOptions: ParsableArguments {
    @Option(help: "'table' for people, 'json' (one object a line) or 'csv' for scripts.")
    var format: OutputFormat?

    @Flag(help: "The same as '--format json'.")
    var json = false

    @Flag(help: "The same as '--format csv'.")
    var csv = false

    func validate() throws {
        if csv, json || format ?? .csv != .csv {
            throw ValidationError("--csv cannot be combined with another format.")
        }
        if json, let format, format != .json {
            throw ValidationError("--json and --format \(format) exclude each other.")
        }
    }

    /// What was asked for; `nil` if nothing was.
    var chosen: OutputFormat? { json ? .json : csv ? .csv : format }

    /// A printer for records with these fields.
    ///
    /// If no format was asked for, it is `standard`.
    func printer(_ columns: [String], standard: OutputFormat = .table) -> any ResultPrinter {
        switch chosen ?? standard {
        case .table: TablePrinter(columns)
        case .json: JSONPrinter(columns)
        case .csv: CSVPrinter(columns)
        }
    }
}
