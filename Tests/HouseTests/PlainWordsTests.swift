import Testing

@Test func `texts and comments name what they mean: an account, a client, a program`() {
    let found = (SourceTree.sources + articles).flatMap(\.vagueWords)
    #expect(found.isEmpty, "say it as told in brackets: \(list(found))")
}

@Test func `a vague word is found in literals, comments and articles, with what to write`() {
    let text = #"""
        /// Whoever reads this, `nil` where it is
        /// not said.
        let nobody = "Nobody is \(anew) in"
        let help = """
            Made anew.
            """
        """#
    let file = SourceFile(path: "Sources/X/X.swift", bytes: Array(text.utf8))
    #expect(
        file.vagueWords == [
            "Sources/X/X.swift:1: /// Whoever reads this, `nil` where it is (\(advice["`nil` where"] ?? ""))",
            "Sources/X/X.swift:1: /// Whoever reads this, `nil` where it is (\(advice["whoever"] ?? ""))",
            "Sources/X/X.swift:3: let nobody = \"Nobody is \\(anew) in\" (\(advice["nobody"] ?? ""))",
            "Sources/X/X.swift:5: Made anew. (\(advice["anew"] ?? ""))",
        ])
    let article = SourceFile(path: "README.md", bytes: Array("Ask\nsomebody.\n\n    let nobody = 1\n".utf8))
    #expect(article.vagueWords == ["README.md:2: somebody. (\(advice["somebody"] ?? ""))"])
}

/// Words that leave open what is meant, and what to write in their place.
private let advice = [
    "nobody": "name it: 'no account', 'no client', or 'it is not open'",
    "somebody": "name it: 'another program', 'a user', 'another save'",
    "whoever": "name it: 'the caller', 'a context that', 'the machine that'",
    "whomever": "name it, as for 'whoever'",
    "anew": "'again', 'as a whole', or a verb of its own: 'rebuild'",
    "`nil` where": "'`nil` if': a condition is not a place",
]

/// What is read beside the code; `RESULTS.md` is a record.
private let articles =
    SourceTree.files(below: ["Sources", "dbus"]) {
        ($0.hasSuffix(".md") && !$0.hasSuffix("RESULTS.md")) || $0.hasSuffix(".xml")
    } + ["README.md"].compactMap(SourceFile.init(path:))

extension SourceFile {
    /// The lines that have a word of `advice`, with what to write: of Swift those with it in a literal or, if
    /// it is not a test, in a comment.
    fileprivate var vagueWords: [String] {
        lines.indices.flatMap { index -> [String] in
            let shown = shownWords(in: index)
            return advice.keys.sorted().compactMap { word in
                shown[word] == nil ? nil : "\(place(index)) (\(advice[word] ?? ""))"
            }
        }
    }

    /// How often each word of a line is read.
    private func shownWords(in index: Int) -> [String: Int] {
        let line = lines[index]
        guard ["obody", "omebody", "hoever", "homever", "new", "`nil`"].contains(where: line.has) else {
            return [:]
        }
        let isSwift = path.hasSuffix(".swift")
        var counts: [String: Int] = [:]
        if isSwift, line.trimmed.hasPrefix("//") {
            if !path.hasPrefix("Sources/") { return [:] }
            for word in line.words { counts[word.lowercased(), default: 0] += 1 }
            if line.has("`nil` where") { counts["`nil` where"] = 1 }
            return counts
        }
        if line.hasPrefix("    "), path.hasSuffix(".md") { return [:] }
        let text = isSwift ? line.split(separator: #/\s\s\/\/\s/#).first.map(String.init) ?? "" : line
        for word in text.words { counts[word.lowercased(), default: 0] += 1 }
        // Interpolations are code.
        if isSwift { for word in code[index].words { counts[word.lowercased(), default: 0] -= 1 } }
        return counts.filter { $0.value > 0 }
    }
}
