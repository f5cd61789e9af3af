import Testing

@Test func `comments, messages and test titles are plain English`() {
    let found = SourceTree.swiftFiles.filter { $0.path != "Tests/HouseTests/WordingTests.swift" }
        .flatMap(\.oddWordings)
    #expect(found.isEmpty, "say it so that the sentence stands alone: \(list(found))")
}

@Test func `no comment is wider than the code may be`() {
    let found = SourceTree.swiftFiles.flatMap(\.wideComments)
    #expect(found.isEmpty, "110 columns, as the formatter allows code: \(list(found))")
}

@Test func `a wording that does not stand alone is found, and a wide comment`() {
    let wide = String(repeating: "x", count: 108)
    let text = """
        /// The same for others.
        func one()
        /// A place as given.
        init()
        /// For who looks again soon.
        func two() { throw Trouble("'x' is no path") }
        /// What stands here are
        /// no files. There is no third, and it is no longer wanted.
        @Test func `who reads is told`() {}
        // It is no more than one, and whoever asks is told who asked.
        // \(wide)
        // \(wide.dropLast())
        """
    let file = SourceFile(path: "Sources/X/X.swift", bytes: Array(text.utf8))
    #expect(
        file.oddWordings == [
            "Sources/X/X.swift:1: /// The same for others.",
            "Sources/X/X.swift:3: /// A place as given.",
            "Sources/X/X.swift:5: /// For who looks again soon.",
            "Sources/X/X.swift:6: func two() { throw Trouble(\"'x' is no path\") }",
            "Sources/X/X.swift:7: /// What stands here are",
            "Sources/X/X.swift:9: @Test func `who reads is told`() {}",
        ])
    #expect(file.wideComments == ["Sources/X/X.swift:11: // \(wide)"])
}

extension SourceFile {
    /// The comment lines with more than 110 columns.
    fileprivate var wideComments: [String] {
        lines.indices.filter { lines[$0].utf8.count > 110 && lines[$0].count > 110 && isComment($0) }.map(
            place)
    }

    /// The lines with a wording that leans on a neighbour, or that English does not know.
    fileprivate var oddWordings: [String] {
        lines.indices.filter { index in
            if isComment(index) {
                let isDocument = lines[index].trimmed.hasPrefix("///")
                let isFirst = isDocument && (index == 0 || !isComment(index - 1))
                let next = index + 1 < lines.count && isComment(index + 1) ? commentText(index + 1) : ""
                return Self.isOdd(commentText(index), next: next, beginsDocument: isFirst)
            }
            return (lines[index] != code[index] || lines[index].contains("`"))
                && Self.isOdd(lines[index].trimmed, next: "", beginsDocument: false)
        }
        .map(place)
    }

    private func isComment(_ index: Int) -> Bool {
        lines[index].contains("//") && lines[index].trimmed.hasPrefix("//")
    }

    private func commentText(_ index: Int) -> String {
        String(lines[index].trimmed.drop { $0 == "/" }).trimmed
    }

    private static func isOdd(_ text: String, next: String, beginsDocument: Bool) -> Bool {
        if beginsDocument, text.hasPrefix("The same ") || text.hasSuffix(" as given.") { return true }
        if text.contains("func `who ") || text.contains("func `whom ") { return true }
        // A sentence may go on in the next line: its first words count, too.
        let words = (text + " " + next.prefix(20)).lowercased().split(separator: " ")
        let ownCount = text.split(separator: " ").count
        for index in words.indices.dropLast() where index < ownCount {
            switch (words[index], words[index + 1]) {
            case ("is", "no"), ("are", "no"), ("was", "no"), ("were", "no"):
                let isThere = index > 0 && words[index - 1].hasSuffix("there")
                let isAboutTime =
                    index + 2 < words.count && ["longer", "more"].contains { words[index + 2].hasPrefix($0) }
                if !isThere, !isAboutTime { return true }
            case ("for", "who"), ("of", "who"), ("by", "who"), ("to", "who"), ("from", "who"), ("of", "whom"):
                return true
            default: continue
            }
        }
        return false
    }
}
