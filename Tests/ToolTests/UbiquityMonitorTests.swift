import CofferLinux
import Foundation
import TestSupport
import Testing

@Test
func `the monitor shows a shared store and the objects of its container, as text and as a page`() throws {
    try withTool { coffer in
        let none = try coffer("ubiquity", "monitor")
        #expect(none.code == 0 && none.lines.joined().contains("No store that is open is shared"), "\(none)")
        let page = try coffer("ubiquity", "monitor", "--html", "-")
        #expect(page.code == 0 && page.lines.first == "<!DOCTYPE html>", "\(page)")
    }
    try withLibrary { coffer in
        _ = try Folder.make(at: coffer.path("Sync"))
        #expect(try coffer("account", "sign-in", "home", coffer.path("Sync")).code == 0)
        let watcher = try coffer.start("watch", "Library", "--shared-as", "A <b> & c")
        defer {
            try? ProcessControl.kill(watcher.id, .terminate)
            _ = try? watcher.waitForExit()
        }
        try waitUntil("that the store is shared") { try coffer("ubiquity", "status").lines.count == 2 }
        #expect(try coffer("insert", "Library", "Author", "code=1", "name=Ada").code == 0)
        try waitUntil("that the author is in the folder") {
            let status = try coffer("ubiquity", "status", "--json")
            return try status.json["objects"] == "1" && status.json["unwritten"] == "0"
        }
        let text = try coffer("ubiquity", "monitor", "--once").lines.joined(separator: "\n")
        for part in ["A <b> & c", "Usage", "up to date", "Seen by", "marker", "log", "model", "own"] {
            #expect(text.contains(part), "\(part) in \(text)")
        }
        let file = coffer.path("page.html")
        #expect(try coffer("ubiquity", "monitor", "--html", file).code == 0)
        let page = try String(contentsOfFile: file, encoding: .utf8)
        #expect(page.contains("A &lt;b&gt; &amp; c") && !page.contains("A <b>"))
        #expect(page.contains("<table>") && page.contains("<svg") && page.contains("<rect"))
        // Nothing is loaded, and nothing runs.
        for part in ["<script", "<link", "<img", " src=", "url(", "@import", "http://", "https://"] {
            #expect(!page.contains(part), "\(part)")
        }
        for tag in ["html", "head", "body", "section", "table", "tbody", "svg", "dl", "figure"] {
            let (opened, closed) = ("<\(tag)[ >]", "</\(tag)>")
            #expect(count(opened, in: page) == count(closed, in: page), "\(tag)")
        }
    }
}

private func count(_ pattern: String, in text: String) -> Int {
    (try? NSRegularExpression(pattern: pattern))?
        .numberOfMatches(in: text, range: NSRange(text.startIndex..., in: text)) ?? 0
}
