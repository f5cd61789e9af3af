import CofferLinux
import FoundationEssentials
import TestSupport
import Testing

/// `Protos/generate --check` with a protobuf-c of another version than that of Debian 12.
struct GeneratedCodeTests {
    @Test(arguments: [("trixie", true), ("bookworm", false)])
    func `another protobuf-c leaves out the comparison of C, but where it should be the right one`(
        release: String, isLeftOut: Bool
    ) throws {
        let (lines, status) = try check(release: release)
        #expect((status == .code(0)) == isLeftOut, "\(lines)")
        #expect(lines.contains { $0.hasPrefix("SKIPPED: ") } == isLeftOut)
    }

    @Test func `another protobuf-c does not hide a change of the protocol`() throws {
        try withCopy { copy in
            try append("message coffer.v1.Lost\n", to: "\(copy)/Protos/coffer/v1/baseline.txt")
            #expect(try check(release: "trixie", in: copy).status == .code(1))
        }
    }

    @Test(arguments: [
        ("// Said.\nmessage Said {}\n", true), ("// Said.\nenum Said {\n  TOLD = 0;  // Told.\n}\n", true),
        ("message Unsaid {}\n", false), ("// Said.\nmessage Said {\n  bool untold = 1;\n}\n", false),
        ("// Said.\nenum Said {\n  UNTOLD = 0;\n}\n", false),
        ("// Said.\nservice Said {\n  rpc Untold(Value) returns (Value);\n}\n", false),
    ])
    func `everything in the protocol has a comment`(addition: String, isDocumented: Bool) throws {
        try withCopy { copy in
            try append(addition, to: "\(copy)/Protos/coffer/v1/values.proto")
            let child = try ChildProcess(
                "\(copy)/Protos/generate", environment: CurrentProcess.environment, output: .pipe,
                errors: .discarded)
            _ = try child.outputLines()?.rest()
            #expect((try child.waitForExit() == .code(0)) == isDocumented)
        }
    }

    @Test(arguments: [("", 1), ("hand Said\n", 0), ("message Said small\n", 0), ("hand Unsaid\n", 1)])
    func `a message with fields is made in Swift, or said to be written by hand`(
        option: String, code: Int32
    ) throws {
        try withCopy { copy in
            let message = "// Said.\nmessage Said {\n  bool told = 1;  // Whether it is.\n}\n"
            try append(message, to: "\(copy)/Protos/coffer/v1/values.proto")
            try append(option, to: "\(copy)/Protos/coffer/v1/swift.options")
            let child = try ChildProcess(
                "\(copy)/Protos/generate", environment: CurrentProcess.environment, output: .pipe,
                errors: .discarded)
            _ = try child.outputLines()?.rest()
            #expect(try child.waitForExit() == .code(code))
        }
    }

    @Test(arguments: [
        ("Protos/coffer/v1/swift.options", "message ReleaseReply small\n"),
        ("Protos/coffer/v1/swift.options", "message ReleaseRequest\n    entity : Imt\n"),
        ("Protos/coffer/v1/swift.options", "message PredicateNode fields\n"),
        ("Protos/coffer/v1/swift.options", "message SaveReply\n"),
        ("Sources/CofferWire/Generated/StaleMessage.swift", "// Stale.\n"),
    ])
    func `Swift that the protocol does not make is told`(path: String, addition: String) throws {
        try withCopy { copy in
            let text = FileManager.default.contents(atPath: "\(copy)/\(path)") ?? Data()
            try #require(
                FileManager.default.createFile(
                    atPath: "\(copy)/\(path)", contents: text + Data(addition.utf8)))
            #expect(try check(release: "trixie", in: copy).status == .code(1))
        }
    }

    /// Lends a copy of what the check reads.
    private func withCopy(_ body: (String) throws -> Void) throws {
        try withTemporaryFolder { path in
            let copy = "\(path)/copy"
            try FileManager.default.createDirectory(
                atPath: "\(copy)/Sources/CofferWire", withIntermediateDirectories: true)
            for part in ["Protos", "Sources/CCofferMessages", "Sources/CofferWire/Generated"] {
                try FileManager.default.copyItem(
                    atPath: "\(SourceTree.root)/\(part)", toPath: "\(copy)/\(part)")
            }
            try body(copy)
        }
    }

    private func append(_ addition: String, to path: String) throws {
        var text = try #require(FileManager.default.contents(atPath: path))
        text.append(contentsOf: addition.utf8)
        try #require(FileManager.default.createFile(atPath: path, contents: text))
    }

    /// Runs the check in a tree, as on a Debian of that name.
    private func check(
        release: String, in tree: String = SourceTree.root
    ) throws -> (lines: [String], status: CofferLinux.ExitStatus) {
        try withTemporaryFolder { path in
            let compiler = """
                #!/bin/sh
                [ "$*" = --version ] && exec echo 'protobuf-c 1.5.0'
                PATH=${PATH#*:}
                exec protoc-c "$@"
                """
            try Folder(at: path).replace("release", with: Array("VERSION_CODENAME=\(release)\n".utf8))
            try #require(
                FileManager.default.createFile(
                    atPath: "\(path)/protoc-c", contents: Data(compiler.utf8),
                    attributes: [.posixPermissions: 0o755]))
            var environment = CurrentProcess.environment
            environment["COFFER_TEST_OS_RELEASE"] = "\(path)/release"
            environment["PATH"] = "\(path):\(environment["PATH"] ?? "/usr/bin:/bin")"
            let child = try ChildProcess(
                "\(tree)/Protos/generate", arguments: ["--check"], environment: environment, output: .pipe,
                errors: .discarded)
            let lines = try child.outputLines()?.rest() ?? []
            return (lines, try child.waitForExit())
        }
    }
}
