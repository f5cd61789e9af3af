import CofferLinux
import TestSupport
import Testing

@Suite(.serialized) struct `The front page` {
    /// Whether the file is to be written as it should be; it is not checked then.
    private static let isWriting = CurrentProcess.environment["COFFER_WRITE_README"] == "1"

    @Test func `shows the Swift program that is built with the tests`() throws {
        let readme = try Readme()
        let bytes = try Folder(at: Readme.root).read("Tests/Notes/Notes.swift", limit: 1 << 16)
        let program = String(decoding: bytes, as: UTF8.self).split(
            separator: "\n", omittingEmptySubsequences: false
        ).dropLast().map { String($0) }
        if Self.isWriting {
            let block = try #require(readme.blocks.first { $0.language == "swift" })
            return try readme.write(replacing: [(block.range, program)])
        }
        #expect(readme.text("swift") == program, "COFFER_WRITE_README=1 Tests/run --filter 'front page'")
    }

    @Test
    func `shows commands that print what it says`() throws {
        let readme = try Readme()
        let commands = readme.commands
        try #require(!commands.isEmpty)
        let daemon = try BuiltProducts.path(of: "cofferd")
        let bus = try PrivateBus(
            services: [.init(name: "org.coffer.Storage1", executable: daemon)], isQuiet: true)
        defer { bus.stop() }
        let found = try withTemporaryFolder { (folder) throws in
            try link("\(folder)/Protos", to: "\(Readme.root)/Protos")
            let model = "Library.xcdatamodeld"
            try link("\(folder)/\(model)", to: "\(Readme.root)/Tests/CofferModelPluginTests/\(model)")
            let program = readme.text("python").joined(separator: "\n") + "\n"
            try Folder(at: folder).replace("star.py", with: Array(program.utf8))
            return try ShellSession(bus: bus, folder: folder).run(commands.map(\.text))
                .map { $0.map { OutputMask.shown($0, busPath: bus.path) } }
        }
        if Self.isWriting {
            return try readme.write(replacing: zip(commands, found).map { ($0.output, $1) })
        }
        for (command, lines) in zip(commands, found) {
            let expected = readme.lines[command.output].map(OutputMask.masked)
            #expect(
                lines.map(OutputMask.masked) == expected, "\(command.text)\n\(lines.joined(separator: "\n"))")
        }
    }

    @Test
    func `shows a way to call the service that loses no answer, however large`() throws {
        let lines = try Readme().text("python")
        let end = try #require(lines.firstIndex { $0.hasPrefix("me, ") })
        let program =
            lines[..<end] + [
                "hello = storage_pb2.HelloRequest(",
                "    protocol=1, application=b'org.coffer.Tests', client=uuid.uuid4().bytes, process_name=b'large')",
                "call('Hello', hello, storage_pb2.HelloReply)",
                "request = storage_pb2.OpenStoreRequest(name=storage_pb2.StoreName(name=b'Notes'))",
                "store = call('OpenStore', request, storage_pb2.OpenStoreReply).opened.store",
                "fetch = fetch_pb2.FetchRequest(store=store, entity=b'Note')",
                "print(len(call('Fetch', fetch, fetch_pb2.FetchReply).rows.primary_keys))",
            ]
        try withService { service in
            let client = try service.channel()
            let title = String(repeating: "x", count: 1 << 10)
            try client.insert([String](repeating: title, count: 3_000), into: client.open())
            try withTemporaryFolder { (folder) throws in
                let messages = try PythonProgram(messagesIn: folder).messages
                try Folder(at: folder).replace("large.py", with: Array(program.joined(separator: "\n").utf8))
                let child = try ChildProcess(
                    "/usr/bin/python3", arguments: ["\(folder)/large.py"],
                    environment: service.bus.environment.merging(["PYTHONPATH": messages]) { $1 },
                    output: .pipe)
                #expect(try child.outputLines()?.next(timeout: .seconds(60)) == "3000")
                #expect(try child.waitForExit(timeout: .seconds(60)) == .code(0))
            }
        }
    }

    @Test
    func `lists the exit codes that the tools tell of`() throws {
        let text = try Readme().lines.joined(separator: "\n")
        for (tool, count) in [("coffer", 13), ("cofferd", 5)] {
            let program = try ChildProcess(
                try BuiltProducts.path(of: tool), arguments: ["--help"], environment: ["COLUMNS": "2000"],
                output: .pipe)
            let help = try program.outputLines()?.rest().joined(separator: " ") ?? ""
            let list = try #require(help.firstMatch(of: #/Exit codes: ([^.]*)\./#)?.1)
            // A code, and what it means up to the next one.
            let codes = list.replacing(#/\s+/#, with: " ").matches(of: #/(\d+) (.*?)(?=[,;] \d|$)/#)
            #expect(codes.count == count, "\(list)")
            for code in codes {
                #expect(text.contains("| \(code.1) | \(code.2) |"), "\(tool): \(code.1) \(code.2)")
            }
        }
    }
}
