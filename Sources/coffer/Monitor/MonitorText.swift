import Coffer
import CofferModel
import FoundationEssentials

/// A pane as lines of a terminal.
struct MonitorText {
    private static let bars = Array(" ▁▂▃▄▅▆▇█")
    private static let columns = ["date", "size", "kind", "status", "name"]

    /// Columns of the terminal.
    let width: Int
    /// Lines of the terminal; `nil` if all is to be shown.
    let height: Int?

    /// The lines of a store.
    func lines(_ pane: MonitorPane, _ activity: TransferActivity?) -> [String] {
        var lines = ["\(pane.status.contentName)  \(pane.status.application)  \(pane.status.name)"]
        let label = pane.facts.map(\.name.count).max() ?? 0
        for (name, value) in pane.facts {
            lines.append("  \(name)\(String(repeating: " ", count: label - name.count))  \(value)")
        }
        lines += pane.status.missing.map { "  ! \($0)" }
        lines += chart(pane, activity)
        lines.append("")
        let rows = table(pane.objects)
        if let height, lines.count + rows.count > height {
            let shown = max(1, height - lines.count - 1)
            lines += rows.prefix(shown)
            lines.append("  … \(rows.count - shown) more")
        } else {
            lines += rows
        }
        return lines.map { TerminalText.cut(TerminalText.harmless($0), to: width) }
    }

    /// What came and went: live if there is activity to show, else by the dates of objects.
    private func chart(_ pane: MonitorPane, _ activity: TransferActivity?) -> [String] {
        let room = max(10, min(120, width - 24))
        if let activity {
            let (sent, received) = (activity.sent.suffix(room), activity.received.suffix(room))
            let most = max(sent.max() ?? 0, received.max() ?? 0)
            return [
                "  sent      \(bar(Array(sent), most: most, room: room)) \(MonitorPane.size(sent.last ?? 0))",
                "  received  \(bar(Array(received), most: most, room: room)) "
                    + MonitorPane.size(received.last ?? 0),
            ]
        }
        let (byteCounts, seconds) = TransferActivity.arrivals(pane.objects, steps: room, upTo: pane.time)
        return [
            "  came      \(bar(byteCounts, most: byteCounts.max() ?? 0, room: room)) "
                + "in steps of \(Int(seconds.rounded(.up))) s"
        ]
    }

    private func bar(_ amounts: [UInt64], most: UInt64, room: Int) -> String {
        let drawn = amounts.map { amount -> Character in
            if amount == 0 || most == 0 { return Self.bars[0] }
            let step = 1 + Int(Double(amount) / Double(most) * Double(Self.bars.count - 2))
            return Self.bars[min(step, Self.bars.count - 1)]
        }
        return String(repeating: " ", count: max(0, room - drawn.count)) + String(drawn)
    }

    private func table(_ objects: [MonitorObject]) -> [String] {
        let cells =
            [Self.columns]
            + objects.map { object in
                [
                    object.modified.map { DateText.text(of: $0) } ?? "",
                    object.byteCount.map(MonitorPane.size) ?? "", object.kind, object.state, object.name,
                ]
            }
        let widths = Self.columns.indices.map { column in cells.map { $0[column].count }.max() ?? 0 }
        return cells.map { row in
            let padded = zip(row, widths).dropLast().map { text, width in
                text + String(repeating: " ", count: width - text.count)
            }
            return "  " + (padded + row.suffix(1)).joined(separator: "  ")
        }
    }
}
