import TestSupport
import Testing

/// One file that the page names, with the functions that it is said to have.
private struct Hop: Sendable {
    let line: Int
    let path: String
    var functions: [String] = []
}

/// The files that `page` names, each with the functions named after it and before the next.
private func hops(in page: [String]) -> [Hop] {
    var found: [Hop] = []
    for (number, line) in page.enumerated() {
        for span in line.matches(of: #/`([^`]+)`/#) {
            let text = String(span.1)
            if text.hasSuffix(".swift") || text.hasSuffix(".proto") {
                let isAtTop = text.hasPrefix("Protos/") || text.hasPrefix("Tests/")
                found.append(Hop(line: number + 1, path: isAtTop ? text : "Sources/\(text)"))
            } else if let parenthesis = text.firstIndex(where: { "(<".contains($0) }), !found.isEmpty {
                found[found.count - 1].functions.append(String(text[...parenthesis]))
            }
        }
    }
    return found
}

@Test func `the page on architecture names files and functions that there are`() throws {
    let name = "Sources/Coffer/Coffer.docc/Architecture.md"
    let page = try #require(SourceFile(path: name))
    let hops = hops(in: page.lines)
    #expect(hops.count >= 30 && hops.contains { !$0.functions.isEmpty })
    for hop in hops {
        guard let bytes = SourceTree.bytes(of: hop.path) else {
            Issue.record("\(name):\(hop.line): there is no \(hop.path)")
            continue
        }
        let text = String(decoding: bytes, as: UTF8.self)
        for function in hop.functions {
            #expect(
                text.contains("func \(function)"), "\(name):\(hop.line): \(hop.path) has no \(function)…")
        }
    }
}
