import ArgumentParser

/// How results are written.
enum OutputFormat: String, CaseIterable, ExpressibleByArgument {
    case table
    case tsv
    case json
}

/// Writes what was measured.
struct Report {
    let measurements: Measurements
    let objectCount: Int

    /// The lines of the report.
    func lines(_ format: OutputFormat) -> [String] {
        switch format {
        case .table: table
        case .tsv:
            measurements.lines.map { line in
                [line.system.rawValue, line.step.rawValue, line.metric.rawValue, Figure.exact(line.value)]
                    .joined(separator: "\t")
            }
        case .json:
            // Names and numbers only: nothing in them needs an escape.
            measurements.lines.map { line in
                #"{"system":"\#(line.system.rawValue)","step":"\#(line.step.rawValue)","#
                    + #""metric":"\#(line.metric.rawValue)","value":\#(Figure.exact(line.value))}"#
            }
        }
    }

    private static let heads = ["metric", "system", "value", "× sqlite", "× socketpair", "mark", "reached"]

    /// One part for each step, in columns, as Markdown.
    private var table: [String] {
        var lines: [String] = []
        for step in Step.allCases {
            let rows = measurements.lines.filter { $0.step == step }.map {
                cells(step, $0.metric, system: $0.system, value: $0.value)
            }
            if rows.isEmpty { continue }
            lines += ["\(step.rawValue): \(step.title)", ""]
            let widths = Self.heads.indices.map { i in ([Self.heads] + rows).map { $0[i].count }.max() ?? 0 }
            lines.append(Self.line(Self.heads, widths))
            lines.append(
                "|" + widths.map { String(repeating: "-", count: $0 + 2) }.joined(separator: "|") + "|")
            lines += rows.map { Self.line($0, widths) } + [""]
        }
        return lines
    }

    private func cells(_ step: Step, _ metric: Metric, system: SystemName, value: Double) -> [String] {
        let sqlite = measurements.median(metric, of: step, on: .sqlite)
        let pair = metric.isLatency ? measurements.median(metric, of: .find, on: .socketpair) : nil
        let isOurs = system != .sqlite && system != .socketpair
        let mark = isOurs ? Mark.of(step, metric, objectCount: objectCount) : nil
        let isReached = mark?.isReached(
            by: value, sqlite: sqlite, ownSave: measurements.median(.saveP50, of: step, on: system),
            fewRows: measurements.median(.fewRowsP50, of: step, on: system))
        return [
            metric.rawValue, system.rawValue, Figure.text(value), Self.ratio(value, to: sqlite),
            Self.ratio(value, to: pair), mark?.text ?? "", isReached.map { $0 ? "yes" : "no" } ?? "",
        ]
    }

    private static func ratio(_ value: Double, to other: Double?) -> String {
        guard let other, other > 0 else { return "" }
        return Figure.text(value / other)
    }

    private static func line(_ cells: [String], _ widths: [Int]) -> String {
        let padded = zip(cells, widths).enumerated().map { i, cell in
            let space = String(repeating: " ", count: cell.1 - cell.0.count)
            return (2...4).contains(i) ? space + cell.0 : cell.0 + space
        }
        return "| " + padded.joined(separator: " | ") + " |"
    }
}
