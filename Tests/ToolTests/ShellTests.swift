import CofferLinux
import TestSupport
import Testing

@Test(.timeLimit(.minutes(2)))
func `a shell completes names of stores, applications and files`() throws {
    try withLibrary { (coffer) throws in
        let other = ["--application", "org.example.Other"]
        _ = try coffer.run(["store", "add", "Elsewhere", "--model", coffer.path("model")] + other)
        _ = try coffer.write("authors.json", "[]")
        #expect(try coffer.completed("coffer", "fetch", "Li") == ["Library"])
        #expect(try coffer.completed("coffer", "store", "remove", "") == ["Library"])
        #expect(
            try coffer.completed("coffer", "fetch", "--application", "org.example.Other", "") == ["Elsewhere"]
        )
        #expect(
            try coffer.completed("coffer", "fetch", "--application", "org.").sorted()
                == ["org.coffer.Tool", "org.example.Other"])
        #expect(try coffer.completed("coffer", "import", "Library", "Author", coffer.path("auth")).count == 1)
        #expect(
            try coffer.completed("coffer", "store", "add", "New", "--model", coffer.path("mod")).count == 1)
        #expect(try coffer.completed("coffer", "fetch", "Library", "Author", "--format", "j") == ["json"])
    }
}

@Test(.timeLimit(.minutes(2)))
func `tool and service are of one version, and every command shows an example`() throws {
    try withTool { (coffer) throws in
        let version = try #require(try coffer("--version").lines.first)
        let service = try coffer("status", "--start", "--json").json["Version"]?.description
        #expect(version == "coffer \(service ?? "")")
        let commands = [
            [], ["store"], ["store", "add"], ["store", "list"], ["store", "backup"], ["store", "remove"],
            ["store", "replace"], ["model"], ["model", "show"], ["model", "generate"], ["fetch"], ["insert"],
            ["update"], ["delete"], ["import"], ["watch"], ["history"], ["metadata"], ["status"], ["trace"],
        ]
        for command in commands {
            let help = try coffer.run(command + ["--help"])
            #expect(help.code == 0)
            #expect(
                help.lines.contains { $0.hasPrefix("Example") }
                    && help.lines.contains { $0.contains("coffer ") },
                "\(command)")
        }
    }
}

extension Tool {
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
