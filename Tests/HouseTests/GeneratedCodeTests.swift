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
        try withTemporaryFolder { path in
            let copy = "\(path)/copy"
            try FileManager.default.createDirectory(
                atPath: "\(copy)/Sources", withIntermediateDirectories: true)
            for part in ["Protos", "Sources/CCofferMessages"] {
                try FileManager.default.copyItem(
                    atPath: "\(SourceTree.root)/\(part)", toPath: "\(copy)/\(part)")
            }
            let baseline = "\(copy)/Protos/coffer/v1/baseline.txt"
            var text = try #require(FileManager.default.contents(atPath: baseline))
            text.append(contentsOf: "message coffer.v1.Lost\n".utf8)
            try #require(FileManager.default.createFile(atPath: baseline, contents: text))
            #expect(try check(release: "trixie", in: copy).status == .code(1))
        }
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
