import Testing

@Test func `nothing in the sources traps on what the world does`() {
    let found = SourceTree.sources.flatMap { file in
        file.places { line in
            line.contains("try!") || line.contains("fatalError(") || line.contains("as! ")
        }
    }
    #expect(found.isEmpty, "throw a typed error, or use precondition for our own mistakes: \(list(found))")
}

@Test func `nothing in the tree is left for later`() {
    let marks = ["TO" + "DO", "FIX" + "ME", "XX" + "X"]
    let others = SourceTree.files(below: ["Sources", "Protos", "dbus"]) {
        !$0.hasSuffix(".swift") && !$0.hasPrefix("Sources/CCofferMessages/")
    }
    let found = (SourceTree.swiftFiles + others).flatMap { file in
        file.lines.indices.filter { line in
            marks.contains { file.lines[line].contains($0) && file.lines[line].words.contains($0[...]) }
        }
        .map(file.place)
    }
    #expect(found.isEmpty, "do it, or open an issue: \(list(found))")
}

@Test func `what the compiler cannot check says what guards it`() {
    let found = SourceTree.swiftFiles.flatMap { file in
        file.code.indices
            .filter { line in
                let code = file.code[line]
                guard code.contains("@unchecked Sendable") || code.contains("nonisolated(unsafe)") else {
                    return false
                }
                let isAbove = line > 0 && file.lines[line - 1].trimmed.hasPrefix("//")
                return !isAbove && !file.lines[line].contains("//")
            }
            .map(file.place)
    }
    #expect(found.isEmpty, "no comment on the line, or the one above: \(list(found))")
}

@Test func `an error that is dropped says why`() {
    let found = SourceTree.sources.flatMap { file in
        file.code.indices
            .filter { line in
                let code = file.code[line]
                guard code.has("try?"), code.contains(#/\btry\?/#) else { return false }
                // On the line, or on one of the two before it, as over a statement of several lines.
                return !file.lines[max(0, line - 2)...line].contains { $0.contains("//") }
            }
            .map(file.place)
    }
    #expect(found.isEmpty, "say why the error does not matter, or handle it: \(list(found))")
}

@Test func `nothing is copied for one of its elements`() {
    let found = SourceTree.sources.flatMap { file in
        file.places { line in
            line.has(".make") && line.contains(#/\.make[A-Z]\w*\(\)(\[|\.(first|last|count)\b)/#)
        }
    }
    #expect(found.isEmpty, "ask for the element, or copy once: \(list(found))")
}

@Test func `no signature that other modules see holds a pointer`() {
    let found = SourceTree.sources.flatMap { file in
        file.visibleSignatures
            .filter { signature in
                signature.text.words.contains { word in
                    word == "OpaquePointer" || word.hasPrefix("Unsafe") && word.contains("Pointer")
                }
            }
            .map { file.place($0.line) }
    }
    #expect(found.isEmpty, "lend a Span to a closure, or copy: \(list(found))")
}

@Test func `tests wait for events, never for time`() {
    let found = SourceTree.tests.flatMap { file in
        file.places { line in
            guard line.has("sleep") else { return false }
            return ["Thread.sleep", "Task.sleep", "usleep(", "nanosleep("].contains(where: line.contains)
                || line.words.contains("sleep") && line.contains("sleep(")
        }
    }
    #expect(found.isEmpty, "wait for what shall happen: \(list(found))")
}

@Test func `no test has a time limit of its own`() {
    // Such a limit counts from before the test's turn: on a slow machine it fails tests that were never run.
    // Tests/run says which tests hang.
    let found = SourceTree.tests.flatMap { file in
        file.places { $0.has("timeLimit") && $0.contains("timeLimit(") }
    }
    #expect(found.isEmpty, "leave it to Tests/run: \(list(found))")
}

@Test func `comments and literals are told from code`() {
    let text = ###"""
        let a = "try! \(b as! C) //" /* try! */ + d // try!
        let e = ##"try! \#(x) \##("n" + f) "# "## + g
        let h = """
            try! "quoted" \(i)
            """ + j
        """###
    let file = SourceFile(path: "Sources/X/X.swift", bytes: Array(text.utf8))
    #expect(
        file.code == [
            #"let a = (b as! C)""  + d "#, #"let e = ("" + f)"" + g"#, "let h = ", "(i)", #""" + j"#,
        ])
}

@Test func `signatures are read up to their bodies`() {
    let text = """
        package func lend(
            _ body: (UnsafeRawPointer) -> Void = { _ in }
        ) {
            let inside: OpaquePointer
        }
        public let handle: OpaquePointer
        public var count: Int { unsafe handle }
        private let other: OpaquePointer
        """
    let file = SourceFile(path: "Sources/X/X.swift", bytes: Array(text.utf8))
    #expect(file.visibleSignatures.map(\.line) == [0, 5, 6])
    #expect(
        file.visibleSignatures.map(\.text.trimmed) == [
            "package func lend(     _ body: (UnsafeRawPointer) -> Void = { _ in } )",
            "public let handle: OpaquePointer",
            "public var count: Int",
        ])
}

extension SourceFile {
    /// What `package`, `public` and `open` declarations say before their bodies, with the line each begins
    /// on.
    var visibleSignatures: [(line: Int, text: String)] {
        code.indices.compactMap { first in
            let line = code[first]
            guard line.has("package ") || line.has("public ") || line.has("open ") else { return nil }
            let words = line.words
            // `open` is a modifier only before what it opens: functions of ours have that name.
            let isOpen = line.has("open ") && line.contains(#/\bopen (class|func|var|subscript)\b/#)
            guard isOpen || words.contains("package") || words.contains("public"),
                !words.contains("import")
            else { return nil }
            var text = ""
            var open = 0
            for line in code[first...].prefix(40) {
                for character in line {
                    if "([".contains(character) { open += 1 }
                    if ")]".contains(character) { open -= 1 }
                    // A body begins, or a value: types that the compiler infers are beyond this test.
                    if open == 0, "{=".contains(character) { return (first, text) }
                    text.append(character)
                }
                if open <= 0 { break }
                text.append(" ")
            }
            return (first, text)
        }
    }
}
