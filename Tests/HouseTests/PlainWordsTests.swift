import Testing

@Test func `texts for users name what they mean: an account, a client, a program`() {
    let found = (SourceTree.sources + articles).flatMap(\.vagueWords)
    #expect(found.isEmpty, "say it as told in brackets: \(list(found))")
}

@Test func `a vague word is found in literals and articles, with what to write`() {
    let text = #"""
        /// Whoever reads this is not a user.
        let nobody = "Nobody is \(anew) in"
        let help = """
            Made anew.
            """
        """#
    let file = SourceFile(path: "Sources/X/X.swift", bytes: Array(text.utf8))
    #expect(
        file.vagueWords == [
            "Sources/X/X.swift:2: let nobody = \"Nobody is \\(anew) in\" (\(advice["nobody"] ?? ""))",
            "Sources/X/X.swift:4: Made anew. (\(advice["anew"] ?? ""))",
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
]

/// What is read beside the code; `RESULTS.md` is a record.
private let articles =
    SourceTree.files(below: ["Sources", "dbus"]) {
        ($0.hasSuffix(".md") && !$0.hasSuffix("RESULTS.md")) || $0.hasSuffix(".xml")
    } + ["README.md"].compactMap(SourceFile.init(path:))

extension SourceFile {
    /// The lines that show users a word of `advice`, with what to write: of Swift those with it in a literal.
    fileprivate var vagueWords: [String] {
        lines.indices.flatMap { index -> [String] in
            let shown = shownWords(in: index)
            return advice.keys.sorted().compactMap { word in
                shown[word] == nil ? nil : "\(place(index)) (\(advice[word] ?? ""))"
            }
        }
    }

    /// How often users read each word of a line.
    private func shownWords(in index: Int) -> [String: Int] {
        let line = lines[index]
        guard ["obody", "omebody", "hoever", "homever", "new"].contains(where: line.has) else { return [:] }
        let isSwift = path.hasSuffix(".swift")
        let isLeftOut =
            isSwift ? line.trimmed.hasPrefix("//") : line.hasPrefix("    ") && path.hasSuffix(".md")
        if isLeftOut { return [:] }
        var counts: [String: Int] = [:]
        let text = isSwift ? line.split(separator: #/\s\s\/\/\s/#).first.map(String.init) ?? "" : line
        for word in text.words { counts[word.lowercased(), default: 0] += 1 }
        // Interpolations are code.
        if isSwift { for word in code[index].words { counts[word.lowercased(), default: 0] -= 1 } }
        return counts.filter { $0.value > 0 }
    }
}
