import Testing

@Test func `every error says in words what is wrong`() {
    let found = SourceTree.sources.wordlessErrors
    #expect(found.isEmpty, "make them CustomStringConvertible: \(list(found))")
}

@Test func `an error without words is found`() {
    let text = """
        enum Wordless: Error, Equatable {}
        package struct Worded: Error, CustomStringConvertible {}
        enum Extended: Error {}
        extension Extended: CustomStringConvertible {}
        enum Nested { struct Fault: Hashable, Error {} }
        struct Errors: Equatable {}
        """
    let file = SourceFile(path: "Sources/X/X.swift", bytes: Array(text.utf8))
    #expect([file].wordlessErrors == ["Wordless", "Fault"])
}

extension [SourceFile] {
    /// The names of error types that would be shown as Swift writes their cases and fields.
    fileprivate var wordlessErrors: [String] {
        let lines = flatMap(\.code).filter { $0.contains(":") && $0.contains("{") }
        let worded = Set(lines.filter { $0.contains("CustomStringConvertible") }.compactMap(Self.typeName))
        return lines.flatMap { line -> [String] in
            // Of several declarations in a line each has a part.
            line.split(separator: "{").filter { part in
                let words = String(part).words
                return words.contains("Error") && (words.contains("enum") || words.contains("struct"))
            }
            .compactMap { Self.typeName(String($0)) }
        }
        .filter { !worded.contains($0) }
    }

    /// The name that a declaration or an extension gives or names, without those that it is nested in.
    private static func typeName(_ line: String) -> String? {
        let words = String(line.split(separator: ":")[0]).words
        let kinds: Set<Substring> = ["enum", "struct", "class", "extension"]
        guard words.contains(where: kinds.contains) else { return nil }
        return words.last.map { String($0.split(separator: ".").last ?? "") }
    }
}
