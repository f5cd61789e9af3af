import CofferLinux
import TestSupport
import Testing

@Test
func `a shell completes names of stores, applications and files`() throws {
    try withLibrary { (coffer) throws in
        let other = ["--application", "org.example.Other"]
        _ = try coffer.run(["store", "add", "Elsewhere", "--model", coffer.path("model")] + other)
        _ = try coffer.write("authors.json", "[]")
        #expect(try coffer.completed("coffer", "fetch", "Library", "") == ["Author", "Book"])
        #expect(
            try coffer.completed("coffer", "insert", "--format", "csv", "Library", "--json", "B") == ["Book"])
        #expect(
            try coffer.completed("coffer", "fetch", "--application", "org.example.Other", "Elsewhere", "A")
                == ["Author"])
        #expect(try coffer.completed("coffer", "fetch", "Nowhere", "") == [])
        #expect(try coffer.completed("coffer", "fetch", "Li") == ["Library"])
        #expect(try coffer.completed("coffer", "store", "remove", "") == ["Library"])
        // An application of two stores is offered once.
        _ = try coffer.run(["store", "add", "More", "--model", coffer.path("model")] + other)
        #expect(
            try coffer.completed("coffer", "fetch", "--application", "org.example.Other", "") == [
                "Elsewhere", "More",
            ]
        )
        #expect(
            try coffer.completed("coffer", "fetch", "--application", "org.")
                == ["org.coffer.Tool", "org.example.Other"])
        #expect(try coffer.completed("coffer", "import", "Library", "Author", coffer.path("auth")).count == 1)
        #expect(
            try coffer.completed("coffer", "store", "add", "New", "--model", coffer.path("mod")).count == 1)
        #expect(try coffer.completed("coffer", "fetch", "Library", "Author", "--format", "j") == ["json"])
    }
}

@Test
func `tool and service are of one version, and every command shows an example`() throws {
    try withTool { (coffer) throws in
        let version = try #require(try coffer("--version").lines.first)
        let service = try coffer("status", "--start", "--json").json["Version"]?.description
        #expect(version == "coffer \(service ?? "")")
        let commands = try coffer.commands()
        #expect(commands.count > 15 && commands.contains(["store", "replace"]), "\(commands)")
        for command in commands {
            // A terminal that breaks no line.
            let line = command.joined(separator: " ")
            let help = try coffer.shell("COLUMNS=1000 exec \"$coffer\" \(line) --help")
            let lines = try help.outputLines()?.rest() ?? []
            #expect(try help.waitForExit() == .code(0))
            #expect(
                lines.contains { $0.hasPrefix("Example") }
                    && lines.contains { $0.contains("coffer \(line)") },
                "\(command)")
            for line in lines where line.hasPrefix("  coffer ") {
                #expect(line.count <= 80, "a terminal would break it: \(line)")
            }
        }
    }
}

@Test
func `a table that is too wide for the terminal is cut, or its values stand below one another`() throws {
    try withLibrary { (coffer) throws in
        let name = "A name that has forty-two columns, and 日本"
        try coffer("insert", "Library", "Author", "code=a", "name=\(name)")
        try coffer("insert", "Library", "Author", "code=b")
        #expect(
            try coffer.shown("fetch Library Author --sort code", columns: 70) == [
                "ID         CODE  NAME", "Author/p1  a     \(name)", "Author/p2  b",
            ])
        #expect(
            try coffer.shown("fetch Library Author --sort code", columns: 50) == [
                "ID         CODE  NAME", "Author/p1  a     A name that has forty-two column…", "Author/p2  b",
            ])
        #expect(
            try coffer.shown("fetch Library Author --sort code", columns: 30) == [
                "ID    Author/p1", "CODE  a", "NAME  \(name)", "", "ID    Author/p2", "CODE  b", "NAME",
            ])
        let rows = (1...40).map { #"{"code": "\#($0)", "name": "N"}"# }.joined(separator: ",")
        let file = try coffer.write("rows.json", "[\(rows)]")
        let lines = try coffer.shown("import Library Author '\(file)' --batch 1", columns: 40)
        let bars = lines.joined(separator: "\r").split(separator: "\r").filter { $0.contains("Importing") }
        #expect(
            !bars.isEmpty && bars.allSatisfy { $0.prefix { $0 != "\u{1B}" }.count < 40 }, "\(lines)")
    }
}

@Test
func `one long value does not make all lines of a table long`() throws {
    try withLibrary { (coffer) throws in
        let long = String(repeating: "x", count: 5_000)
        try coffer("insert", "Library", "Author", "code=a", "name=\(long)")
        try coffer("insert", "Library", "Author", "code=b", "name=B")
        let table = try coffer("fetch", "Library", "Author", "--sort", "code", "--properties", "name,code")
        #expect(
            table.lines == [
                "NAME\(String(repeating: " ", count: 98))CODE", "\(long)  a",
                "B\(String(repeating: " ", count: 101))b",
            ])
    }
}

@Test
func `a shell completes paths where the store is a file`() throws {
    try withTool { (coffer) throws in
        let folder = try Folder(at: "\(coffer.bus.path)/home").makeFolders("stores/inner")
        for name in ["a.store", "b.store", ".hidden"] { try folder.replace(name, with: []) }
        let inner = coffer.path("stores/inner/")
        let both = ["\(inner)a.store", "\(inner)b.store"]
        #expect(try coffer.completed("coffer", "fetch", "--embedded", coffer.path("sto")) == both)
        #expect(try coffer.completed("coffer", "fetch", "--embedded", "\(inner)b") == [both[1]])
        #expect(try coffer.completed("coffer", "fetch", "--embedded", coffer.path("none/")) == [])
    }
}

extension Tool {
    /// Every command that the tool's help leads to, by its words.
    fileprivate func commands(below command: [String] = []) throws -> [[String]] {
        let lines = try run(command + ["--help"]).lines
        let list = lines.drop { $0 != "SUBCOMMANDS:" }.dropFirst().prefix { !$0.isEmpty }
        let names = list.compactMap { $0.wholeMatch(of: #/  ([a-z-]+)(?: .*)?/#).map { String($0.1) } }
        return try [command] + names.flatMap { try commands(below: command + [$0]) }
    }

    /// What a terminal of so many columns gets.
    fileprivate func shown(_ command: String, columns: Int) throws -> [String] {
        let terminal = try shell(
            "exec script -qec 'stty cols \(columns); exec \"$coffer\" \(command)' /dev/null < /dev/null")
        let lines = try terminal.outputLines()?.rest() ?? []
        _ = try terminal.waitForExit()
        return lines.map { $0.hasSuffix("\r") ? String($0.dropLast()) : $0 }
    }

    /// What bash offers for the last of the words.
    fileprivate func completed(_ words: String...) throws -> [String] {
        let list = words.map { "'\($0)'" }.joined(separator: " ")
        let shell = try self.shell(
            """
            exec bash -c 'PATH=$(dirname "$coffer"):$PATH; . <(coffer --generate-completion-script bash)
            COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMP_LINE="$*"; COMP_POINT=${#COMP_LINE}; COMP_TYPE=9
            _coffer coffer "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
            printf "%s\\\\n" "${COMPREPLY[@]}"' bash \(list)
            """)
        let lines = try shell.outputLines()?.rest() ?? []
        _ = try shell.waitForExit()
        return lines.map { String($0.prefix { $0 != " " }) }.filter { !$0.isEmpty }
    }
}
