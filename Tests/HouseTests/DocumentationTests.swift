import CofferLinux
import FoundationEssentials
import TestSupport
import Testing

@Test func `links of a module's pages lead to what it makes public`() {
    var found: [String] = []
    for page in SourceTree.files(below: ["Sources"], where: { $0.hasSuffix(".md") && $0.contains(".docc/") })
    {
        let module = String(page.path.split(separator: "/")[1])
        let sources = SourceTree.sources.filter { $0.path.hasPrefix("Sources/\(module)/") }
        let code = sources.map { $0.code.joined(separator: "\n") }.joined(separator: "\n")
        for (number, line) in page.lines.enumerated() {
            for link in line.matches(of: #/``([A-Za-z]+)[^`]*``/#) where link.1 != module {
                let declaration = try? Regex(
                    "(public|open) (final |indirect )?(class|struct|enum|protocol|actor|typealias|func) \(link.1)\\b"
                )
                if let declaration, code.contains(declaration) { continue }
                found.append("\(page.path):\(number + 1): \(link.0)")
            }
        }
    }
    #expect(found.isEmpty, "nothing public of the module is called so: \(list(found))")
}

@Test func `the stores that a page shows are those that tests run over`() throws {
    let name = "Sources/Coffer/Coffer.docc/YourOwnStores.md"
    let page = String(decoding: try #require(SourceTree.bytes(of: name)), as: UTF8.self)
    let blocks = page.matches(of: #/```swift\n((?:struct|final class) ([A-Za-z]+)[\s\S]*?)```/#)
    #expect(blocks.count == 2)
    for block in blocks {
        let path = "Tests/ContextSupport/\(block.2).swift"
        let source = String(decoding: try #require(SourceTree.bytes(of: path)), as: UTF8.self)
            .replacing("package ", with: "")
            .replacing("    /// The form; there is one.\n    init() {}\n\n", with: "")
            .replacing("    /// Keeps objects of a model.\n", with: "")
            .replacing("    /// Keeps objects of a model.\n", with: "")
        #expect(source.contains(block.1), "\(name) shows other code than \(path)")
    }
}

@Test func `the examples of filters in the help are tests that there are`() throws {
    let help = String(decoding: try #require(SourceTree.bytes(of: "Tests/run")), as: UTF8.self)
    let filters = help.matches(of: #/Tests\/run --filter ([A-Za-z]+|'[^']+')$/#.anchorsMatchLineEndings())
        .map { $0.1.filter { $0 != "'" } }.filter { $0 != "PATTERN" }
    #expect(filters.count >= 2)
    for filter in filters {
        let isThere = SourceTree.tests.contains { file in
            file.path.contains("/\(filter)/")
                || file.lines.contains { $0.contains("func `") && $0.contains(filter) }
        }
        #expect(isThere, "Tests/run:1: no test is called '\(filter)'")
    }
}

@Test(arguments: [("warning: No matching test cases were run", Int32(66)), ("Test run with 1 test", 0)])
func `a filter that no test's name matches fails`(told: String, code: Int32) throws {
    try withTemporaryFolder { path in
        let run = try testsRun("NoSuchTest", in: path, test: "echo '\(told)'")
        #expect(try run.waitForExit() == .code(code))
    }
}

@Test func `tests that hang are ended, and named`() throws {
    try withTemporaryFolder { path in
        // It goes on until it is ended, as tests do that wait for what never happens.
        let run = try testsRun(
            "Any", in: path,
            test: """
                while [ "$1" != --event-stream-output-path ]; do shift; done
                for event in Started:quick Ended:quick Started:stuck; do
                    echo '{"payload":{"kind":"test'"${event%:*}"'","testID":"'"${event#*:}"'"}}'
                done >"$2"
                exec sleep 600
                """, environment: ["COFFER_TEST_PATIENCE": "1"], output: .pipe)
        let lines = try #require(run.outputLines())
        while let line = try lines.next(), !line.hasSuffix("these have not ended:") {}
        #expect(try lines.next() == "  stuck")
        #expect(try run.waitForExit() == .code(130))
    }
}

/// Starts `Tests/run --filter pattern` with a Swift that builds nothing, and does `test` for 'swift test'.
private func testsRun(
    _ pattern: String, in path: String, test: String, environment others: [String: String] = [:],
    output: ChildOutput = .discarded
) throws -> ChildProcess {
    let swift = """
        #!/bin/sh
        if [ "$1" = --version ]; then echo 'Swift version 9.9'; fi
        if [ "$1" != test ] || [ "$2" = --help-hidden ]; then exit 0; fi
        \(test)

        """
    try Folder(at: path).openBeneath("swift", [.writeOnly, .create], permissions: 0o700).writeAll(
        Array(swift.utf8))
    var environment = CurrentProcess.environment.merging(others) { $1 }
    environment["PATH"] = "\(path):\(environment["PATH"] ?? "")"
    return try ChildProcess(
        "\(SourceTree.root)/Tests/run", arguments: ["--filter", pattern], environment: environment,
        output: output, errors: .discarded)
}
