import Testing

/// What is named by others alone: requirements of their protocols, programs, and words that they send.
private let namedElsewhere: Set<Substring> = [
    "checkIsolated", "unownedExecutor",  // SerialExecutor and Actor
    "CofferModelPlugin", "createBuildCommands",  // BuildToolPlugin
    "CofferBench", "CofferModelTool", "CofferTool", "CofferDaemon",  // @main
    "preservedOnDeletion",  // the code that is generated from models
    "invalidates", "inQueue", "notOwner", "normal", "extra",  // raw values that come from elsewhere
]

/// A name that stands nowhere else is found; a dead declaration that shares its name with another is not.
@Test func `whatever is declared is named elsewhere too`() {
    let inSources = SourceTree.sources.reduce(into: WordCounts()) { $0.add($1.code) }
    let others = SourceTree.files(below: ["Sources", "Tests", "README.md"]) { $0.hasSuffix(".md") }
    var outside = SourceTree.tests.reduce(into: WordCounts()) { $0.add($1.code) }
    for file in others + [SourceFile(path: "README.md")].compactMap(\.self) { outside.add(file.lines) }
    let found = SourceTree.sources.flatMap { file in
        file.code.indices.filter { line in
            let once = file.code[line].plainWords.filter {
                inSources.counts[$0] == 1 && !namedElsewhere.contains($0)
            }
            if once.isEmpty { return false }
            let (names, isVisible) = file.code[line].declaredNames
            return once.contains { names.contains($0) && !(isVisible && outside.counts[$0] != nil) }
        }
        .map(file.place)
    }
    #expect(found.isEmpty, "delete it, or test what applications have: \(list(found))")
}

@Test func `declarations are told from patterns and uses`() {
    let names: [(String, [Substring])] = [
        ("    package static func open(_ path: String) {", ["open"]), ("case .one(let value): value", []),
        ("    case one(String), two", ["one", "two"]), ("case let error:", []), ("    if let a { b }", []),
        ("@Option var place: String?", ["place"]), ("    class func make()", ["make"]),
        ("private let (one, other): (Int, Int)", ["one", "other"]), ("case two = 2", ["two"]),
    ]
    for (line, expected) in names { #expect(line.declaredNames.names == expected, "\(line)") }
}

/// How often each word stands in lines.
private struct WordCounts {
    var counts: [Substring: Int] = [:]

    mutating func add(_ lines: [String]) {
        for line in lines { for word in line.plainWords { counts[word, default: 0] += 1 } }
    }
}

extension String {
    /// Its words in ASCII, much faster than `words`.
    fileprivate var plainWords: [Substring] {
        utf8.split { byte in
            !(byte | 0x20 >= 0x61 && byte | 0x20 <= 0x7A || byte >= 0x30 && byte <= 0x39 || byte == 0x5F)
        }
        .map { Substring($0) }
    }

    /// What a line declares, and whether other modules see it.
    fileprivate var declaredNames: (names: [Substring], isVisible: Bool) {
        let keywords: Set<Substring> = [
            "func", "var", "let", "struct", "class", "enum", "actor", "protocol", "typealias", "case",
        ]
        let line = replacing(#/@\w+(\([^)]*\))?\s+|\b\w+\((set|unsafe)\)\s+|\bclass (?=func|var)/#, with: "")
        let words = line.plainWords
        guard let place = words.firstIndex(where: keywords.contains), place + 1 < words.count else {
            return ([], false)
        }
        let modifiers = words[..<place]
        let known: Set<Substring> = [
            "package", "public", "private", "fileprivate", "open", "static", "final", "mutating", "override",
            "nonisolated", "indirect", "lazy", "weak", "unowned", "convenience", "required", "consuming",
        ]
        guard modifiers.allSatisfy(known.contains) else { return ([], false) }
        let isVisible = modifiers.contains { ["package", "public", "open"].contains($0) }
        let rest = words[place...].dropFirst()
        if words[place] == "case" {
            let cases = line.replacing(#/\([^()]*\)|=[^,]*/#, with: "")
            if cases.has("case .") || cases.has("let ") || cases.has(":") { return ([], false) }
            // Whether its enum is visible stands elsewhere.
            let isPattern = cases.contains(#/case \d/#)
            return (isPattern ? [] : cases.plainWords.filter { $0 != "case" && $0 != "indirect" }, true)
        }
        if let tuple = line.firstMatch(of: #/\b(?:let|var) \(([^)]*)\)/#) {
            return (String(tuple.1).plainWords, isVisible)
        }
        return (Array(rest.prefix(1)), isVisible)
    }
}
