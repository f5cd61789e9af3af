import Testing

@Test func `every public throwing function says what it throws`() {
    let modules: Set = ["Coffer", "CofferEmbedded", "CofferModel", "CofferGeneration"]
    let found = SourceTree.sources.filter { modules.contains($0.module) }.flatMap(\.silentThrowers)
    #expect(found.isEmpty, "add '- Throws:' with the errors and when they come: \(list(found))")
}

@Test func `a public function that throws and does not say what is found`() {
    let text = """
        /// Says it.
        ///
        /// - Throws: `.busy` where another writes.
        @discardableResult
        public func says() throws(Trouble) -> Int {
            1
        }
        /// Is silent.
        public func isSilent(
            _ body: () -> Void
        ) throws(Trouble) {}
        /// Is silent, too.
        open func isSilentToo() async throws {}
        /// Takes what throws, and throws nothing itself.
        public func takes(_ body: () throws -> Void) {}
        /// Is seen by nobody else.
        func isInternal() throws {}
        /// Makes one.
        public init() throws(Trouble) {}
        """
    let file = SourceFile(path: "Sources/X/X.swift", bytes: Array(text.utf8))
    #expect(
        file.silentThrowers == [
            "Sources/X/X.swift:9: public func isSilent(",
            "Sources/X/X.swift:13: open func isSilentToo() async throws {}",
            "Sources/X/X.swift:19: public init() throws(Trouble) {}",
        ])
}

extension SourceFile {
    /// The functions and initialisers that applications see, throw, and have no `- Throws:` in their
    /// comments.
    fileprivate var silentThrowers: [String] {
        visibleSignatures
            .filter { signature in
                let words = signature.text.words
                let isFunction = words.contains("func") || words.contains("init")
                return isFunction && !words.contains("package") && Self.throwsItself(signature.text)
                    && !comment(above: signature.line).contains { $0.contains("- Throws:") }
            }
            .map { place($0.line) }
    }

    /// Whether `throws` stands outside of all parentheses, and so is not that of a closure.
    private static func throwsItself(_ signature: String) -> Bool {
        var depth = 0
        var outside = ""
        for character in signature {
            if character == "(" { depth += 1 }
            if depth == 0 { outside.append(character) }
            if character == ")" {
                depth -= 1
                outside.append(" ")
            }
        }
        return outside.words.contains("throws") || outside.words.contains("rethrows")
    }

    /// The lines of the comment that belongs to the declaration on a line, attributes between them left out.
    private func comment(above line: Int) -> ArraySlice<String> {
        var end = line
        while end > 0, lines[end - 1].trimmed.hasPrefix("@") { end -= 1 }
        var start = end
        while start > 0, lines[start - 1].trimmed.hasPrefix("///") { start -= 1 }
        return lines[start..<end]
    }
}
