/// Lines of Swift, indented by how deep they stand.
struct SourceText {
    private(set) var lines: [String] = []
    private var depth: Int

    /// Nothing yet.
    init(depth: Int = 0) { self.depth = depth }

    /// Adds a line; an empty one is not indented.
    mutating func line(_ text: String = "") {
        lines.append(text.isEmpty ? "" : String(repeating: "    ", count: depth) + text)
    }

    /// Adds the lines of a doc comment.
    mutating func documentation(_ text: [String]) {
        for text in text { line(text.isEmpty ? "///" : "/// \(text)") }
    }

    /// Adds what stands in braces behind `head`.
    mutating func braces(_ head: String, _ tail: String = "}", _ body: (inout SourceText) -> Void) {
        line(head + " {")
        depth += 1
        body(&self)
        depth -= 1
        line(tail)
    }

    /// Adds lines that are indented already.
    mutating func lines(_ other: SourceText) { lines += other.lines }

    /// Adds lines that stand at the top, an empty one before them.
    mutating func append(_ other: SourceText) {
        if !lines.isEmpty { line() }
        lines += other.lines
    }

    /// The lines of a file.
    var text: String { lines.joined(separator: "\n") + "\n" }

    /// Whether a type of a module is named.
    func uses(_ module: String) -> Bool {
        lines.contains { line in
            // Words outside of comments are enough: an import too many does no harm.
            !line.drop(while: { $0 == " " }).hasPrefix("//")
                && line.split { !$0.isLetter && !$0.isNumber && $0 != "_" }.contains {
                    ReservedNames.used[String($0)] == module
                }
        }
    }
}
