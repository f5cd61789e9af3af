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
    mutating func braces(_ head: String, closing tail: String = "}", _ body: (inout SourceText) -> Void) {
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

    /// Whether a type of a module is named, in a line that begins with one of the words, if there are any.
    func uses(_ module: String, _ types: TypeNames, inLinesOf words: [String] = []) -> Bool {
        lines.contains { line in
            let code = line.drop { $0 == " " }
            let isAsked = words.isEmpty || words.contains { code.hasPrefix($0 + " ") }
            return isAsked && !code.hasPrefix("//") && Self.namesType(code, of: module, types)
        }
    }

    /// Whether a line names a type of a module, outside of text and not as the name of something else.
    private static func namesType(_ code: Substring, of module: String, _ types: TypeNames) -> Bool {
        var words: [Substring] = []
        let unescaped = code.replacing("\\\\", with: "").replacing("\\\"", with: "")
        for (place, part) in unescaped.split(separator: "\"", omittingEmptySubsequences: false).enumerated()
        where place.isMultiple(of: 2) {
            // A member stays with its dot, and does not count as a word of its own.
            words += part.split { !$0.isLetter && !$0.isNumber && $0 != "_" && $0 != "." }
        }
        return words.indices.contains { place in
            let word = words[place].prefix { $0 != "." }
            if word == module { return true }
            let isDeclared = place > 0 && ["let", "var"].contains(words[place - 1])
            return !isDeclared && ReservedNames.used[String(word)] == module && types(String(word)) == word
        }
    }
}
