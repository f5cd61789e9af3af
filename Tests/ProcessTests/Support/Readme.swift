import CofferLinux

/// README.md, and what it says that can be tried.
struct Readme {
    /// A block between fences.
    struct Block {
        /// What stands behind the opening fence.
        let language: String
        /// The lines between the fences, by their places in the file.
        let range: Range<Int>
    }

    /// A command of a console block.
    struct Command {
        /// What a shell would be given.
        let text: String
        /// The lines of the file that hold the command itself.
        let range: Range<Int>
        /// The lines of the file that show what it prints.
        let output: Range<Int>
    }

    static let root = #filePath.split(separator: "/").dropLast(4).map { "/\($0)" }.joined()
    let lines: [String]
    let blocks: [Block]

    init() throws {
        let bytes = try Folder(at: Self.root).read("README.md", limit: 1 << 20)
        lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            .map { String(decoding: $0, as: UTF8.self) }
        var blocks: [Block] = []
        var start: Int?
        for (place, line) in lines.enumerated() where line.hasPrefix("```") {
            if let first = start {
                blocks.append(Block(language: String(lines[first - 1].dropFirst(3)), range: first..<place))
                start = nil
            } else {
                start = place + 1
            }
        }
        self.blocks = blocks
    }

    /// The lines of the only block in a language.
    func text(_ language: String) -> [String] {
        blocks.filter { $0.language == language }.flatMap { lines[$0.range] }
    }

    /// The commands of all console blocks, in order.
    var commands: [Command] {
        blocks.filter { $0.language == "console" }.flatMap { commands(in: $0.range) }
    }

    private func commands(in range: Range<Int>) -> [Command] {
        var commands: [Command] = []
        var place = range.lowerBound
        while place < range.upperBound {
            let start = place
            var text = lines[place].dropFirst(2)
            place += 1
            while text.hasSuffix("\\"), place < range.upperBound {
                text += "\n" + lines[place].dropFirst(2)
                place += 1
            }
            let end = place
            while place < range.upperBound, !lines[place].hasPrefix("$ ") { place += 1 }
            commands.append(Command(text: String(text), range: start..<end, output: end..<place))
        }
        return commands
    }

    /// Writes the file again, with other lines in some places.
    func write(replacing changes: [(range: Range<Int>, lines: [String])]) throws {
        var lines = lines
        for change in changes.sorted(by: { $0.range.lowerBound > $1.range.lowerBound }) {
            lines.replaceSubrange(change.range, with: change.lines)
        }
        try Folder(at: Self.root).replace("README.md", with: Array(lines.joined(separator: "\n").utf8))
    }
}
