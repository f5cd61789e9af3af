import FoundationEssentials
import Glibc

/// The repository that these tests were built from.
enum SourceTree {
    /// Its top folder.
    static let root = #filePath.split(separator: "/").dropLast(3).map { "/" + $0 }.joined()

    /// Every Swift file of Sources and Tests.
    static let swiftFiles: [SourceFile] = files(below: ["Sources", "Tests"]) { $0.hasSuffix(".swift") }

    /// Every Swift file of the modules and tools.
    static let sources: [SourceFile] = swiftFiles.filter { $0.path.hasPrefix("Sources/") }

    /// Every Swift file of the tests.
    static let tests: [SourceFile] = swiftFiles.filter { $0.path.hasPrefix("Tests/") }

    /// The names in a folder, hidden ones too, in order; none where the folder is missing.
    static func names(in folder: String) -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: "\(root)/\(folder)")) ?? []).sorted()
    }

    /// The paths of all files below a folder that `isWanted` takes by their path.
    static func paths(below folder: String, where isWanted: (String) -> Bool = { _ in true }) -> [String] {
        ((try? FileManager.default.subpathsOfDirectory(atPath: "\(root)/\(folder)")) ?? [])
            .map { "\(folder)/\($0)" }
            .filter { !$0.contains("/.build") && isWanted($0) }
            .sorted()
    }

    /// The files below folders that `isWanted` takes by their path.
    static func files(below folders: [String], where isWanted: (String) -> Bool) -> [SourceFile] {
        folders.flatMap { paths(below: $0, where: isWanted) }.compactMap(SourceFile.init(path:))
    }

    /// The content of a file, or `nil` where it is missing or a folder.
    static func bytes(of path: String) -> [UInt8]? {
        FileManager.default.contents(atPath: "\(root)/\(path)").map { [UInt8]($0) }
    }
}

/// A file of text, and each of its lines without what comments and literals hold.
struct SourceFile: Sendable {
    /// Its path below the top folder.
    let path: String
    /// Its lines as they stand.
    let lines: [String]
    /// Its lines with the text of comments and of string literals left out.
    let code: [String]

    init?(path: String) {
        guard let bytes = SourceTree.bytes(of: path) else { return nil }
        self.init(path: path, bytes: bytes)
    }

    init(path: String, bytes: [UInt8]) {
        self.path = path
        lines = Self.lines(of: bytes)
        code = Self.lines(of: CodeOnly.filter(bytes))
    }

    /// The module or test target that the file belongs to.
    var module: String { path.split(separator: "/").dropFirst().first.map(String.init) ?? "" }

    /// Where `line`, counted from 0, stands, and what it says.
    func place(_ line: Int) -> String {
        "\(path):\(line + 1): \(lines[line].trimmed)"
    }

    /// Each line of code that `matches`.
    func places(where matches: (String) -> Bool) -> [String] {
        code.indices.filter { matches(code[$0]) }.map(place)
    }

    private static func lines(of bytes: [UInt8]) -> [String] {
        bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            .map { String(decoding: $0, as: UTF8.self) }
    }
}

extension String {
    /// Without white space at both ends.
    var trimmed: String {
        var text = self[...]
        while text.first?.isWhitespace == true { text.removeFirst() }
        while text.last?.isWhitespace == true { text.removeLast() }
        return String(text)
    }

    /// Whether it has a text in it, byte by byte: patterns take a thousand times as long.
    func has(_ text: String) -> Bool { unsafe strstr(self, text) != nil }

    /// Its words: runs of letters, digits and `_`.
    var words: [Substring] { split { !$0.isLetter && !$0.isNumber && $0 != "_" } }
}

/// One line for each place, for the message of an expectation.
func list(_ places: [String]) -> String {
    "\(places.count) in all:\n" + places.joined(separator: "\n")
}
