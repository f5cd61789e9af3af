import Coffer
import CofferModel
import FoundationEssentials

/// Panes as one HTML page that needs nothing else: no script, no picture, no other file.
enum MonitorPage {
    private static let style = """
        :root{color-scheme:light dark;--line:#8884;--bar:#2a78c6;--warn:#b3261e}
        body{font:15px/1.45 system-ui,sans-serif;margin:2rem auto;max-width:70rem;padding:0 1rem}
        h1{font-size:1.5rem}h2{font-size:1.2rem;margin:2rem 0 .5rem;border-bottom:1px solid var(--line)}
        dl{display:grid;grid-template-columns:max-content 1fr;gap:.15rem 1.5rem;margin:.5rem 0}
        dt{opacity:.7}dd{margin:0;overflow-wrap:anywhere}
        table{border-collapse:collapse;width:100%;font-size:.87rem}
        th,td{text-align:left;padding:.2rem .6rem;border-bottom:1px solid var(--line)}
        td.size{text-align:right;white-space:nowrap}td.name{font-family:monospace;overflow-wrap:anywhere}
        td.date{white-space:nowrap}.missing{color:var(--warn)}svg{width:100%;height:80px}
        rect{fill:var(--bar)}figcaption{opacity:.7;font-size:.87rem}figure{margin:1rem 0}
        """

    /// The page.
    static func html(_ panes: [MonitorPane], at time: Date) -> String {
        let body = panes.isEmpty ? "<p>No store that is open is shared.</p>" : panes.map(section).joined()
        return """
            <!DOCTYPE html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width,initial-scale=1">
            <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
            <title>Shared stores</title>
            <style>
            \(style)
            </style>
            </head>
            <body>
            <h1>Shared stores</h1>
            <p>As of \(escaped(DateText.text(of: time)))</p>
            \(body)
            </body>
            </html>

            """
    }

    private static func section(_ pane: MonitorPane) -> String {
        let facts = pane.facts.map { "<dt>\(escaped($0.name))</dt><dd>\(escaped($0.value))</dd>" }
        let missing = pane.status.missing.map { "<li>\(escaped($0))</li>" }
        let list = missing.isEmpty ? "" : "<ul class=\"missing\">\(missing.joined())</ul>\n"
        return """
            <section>
            <h2>\(escaped(pane.status.contentName)) · \(escaped(pane.status.application))</h2>
            <dl>\(facts.joined())</dl>
            \(list)\(chart(pane))
            \(table(pane.objects))
            </section>

            """
    }

    /// What came, by the dates of objects.
    private static func chart(_ pane: MonitorPane) -> String {
        let steps = 60
        let (byteCounts, seconds) = TransferActivity.arrivals(pane.objects, steps: steps, upTo: pane.time)
        let most = max(byteCounts.max() ?? 0, 1)
        let bars = byteCounts.enumerated().filter { $0.element > 0 }.map { place, byteCount in
            let height = max(2, Int(Double(byteCount) / Double(most) * 76))
            return "<rect x=\"\(place * 10 + 1)\" y=\"\(80 - height)\" width=\"8\" height=\"\(height)\"/>"
        }
        return """
            <figure>
            <svg viewBox="0 0 \(steps * 10) 80" preserveAspectRatio="none" role="img" \
            aria-label="Bytes that came, by time">\(bars.joined())</svg>
            <figcaption>Bytes that came into the container, \(Int(seconds.rounded(.up))) s a bar; \
            the highest has \(escaped(MonitorPane.size(most)))</figcaption>
            </figure>
            """
    }

    private static func table(_ objects: [MonitorObject]) -> String {
        let rows = objects.map { object in
            "<tr><td class=\"date\">\(escaped(object.modified.map { DateText.text(of: $0) } ?? ""))</td>"
                + "<td class=\"size\">\(escaped(object.byteCount.map(MonitorPane.size) ?? ""))</td>"
                + "<td>\(escaped(object.kind))</td><td>\(escaped(object.state))</td>"
                + "<td class=\"name\">\(escaped(object.name))</td></tr>\n"
        }
        return """
            <table>
            <thead><tr><th>Date</th><th>Size</th><th>Kind</th><th>Status</th><th>Name</th></tr></thead>
            <tbody>
            \(rows.joined())</tbody>
            </table>
            """
    }

    /// Text of which no browser takes anything for markup.
    static func escaped(_ text: String) -> String {
        var result = ""
        for character in TerminalText.harmless(text) {
            switch character {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "'": result += "&#39;"
            default: result.append(character)
            }
        }
        return result
    }
}
