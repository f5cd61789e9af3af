import CofferLinux
import FoundationEssentials
import TestSupport
import Testing

/// A user with a home, programs that were built elsewhere, and neither bus nor manager.
private struct Home {
    let folder: String
    var prefix: String { folder + "/prefix" }
    var programs: String { folder + "/programs" }

    /// A home in a folder.
    init(in folder: String) throws {
        self.folder = folder
        for name in ["home", "programs"] {
            try FileManager.default.createDirectory(
                atPath: "\(folder)/\(name)", withIntermediateDirectories: false)
        }
        for name in ["cofferd", "coffer", "coffer-bench"] {
            try #require(
                FileManager.default.createFile(
                    atPath: "\(programs)/\(name)", contents: Data("#!/bin/sh\necho \"$0\" \"$@\"\n".utf8),
                    attributes: [.posixPermissions: 0o755]))
        }
    }

    /// What `dbus/install` says, and how it ends.
    func install(
        _ arguments: String..., environment: [String: String] = [:]
    ) throws -> (lines: [String], status: CofferLinux.ExitStatus) {
        var variables = [
            "HOME": "\(folder)/home", "PATH": CurrentProcess.environment["PATH"] ?? "/usr/bin:/bin",
        ]
        variables.merge(environment) { $1 }
        let root = #filePath.split(separator: "/").dropLast(3).map { "/\($0)" }.joined()
        let child = try ChildProcess(
            "\(root)/dbus/install", arguments: arguments, environment: variables, output: .pipe,
            errors: .discarded)
        let lines = try child.outputLines()?.rest() ?? []
        return (lines, try child.waitForExit())
    }

    /// The paths of all files below a folder of it.
    func files(in name: String) throws -> Set<String> {
        let place = "\(folder)/\(name)"
        guard FileManager.default.fileExists(atPath: place) else { return [] }
        let all = try FileManager.default.subpathsOfDirectory(atPath: place)
        return Set(
            all.map { "\(place)/\($0)" }.filter { path in
                var isFolder = false
                return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) && !isFolder
            })
    }
}

/// The paths that lines name behind some words.
private func paths(_ lines: [String], behind words: String) -> Set<String> {
    Set(
        lines.filter { $0.hasPrefix(words + " ") }
            .compactMap { $0.dropFirst(words.count + 1).split(separator: " ").first.map(String.init) })
}

struct UserInstallTests {
    @Test
    func `an install below a folder is what a dry run said, and goes with an uninstall`() throws {
        try withTemporaryFolder { folder in
            let home = try Home(in: folder)
            // As an administrator's own `/usr/local/bin` is there, though nothing may be in it.
            try FileManager.default.createDirectory(
                atPath: "\(home.prefix)/bin", withIntermediateDirectories: true)
            let dry = try home.install(
                "--user", "--prefix", home.prefix, "--from", home.programs, "--dry-run")
            try #require(dry.status == .code(0), "\(dry.lines)")
            #expect(try home.files(in: "prefix").isEmpty)
            let planned = paths(dry.lines, behind: "would install")

            let (lines, status) = try home.install("--user", "--prefix", home.prefix, "--from", home.programs)
            try #require(status == .code(0), "\(lines)")
            let files = try home.files(in: "prefix")
            #expect(files == planned)
            #expect(files.count >= 10 && files.contains("\(home.prefix)/bin/coffer"))
            #expect(try home.files(in: "home").isEmpty)
            for file in [
                "share/dbus-1/services/org.coffer.Storage1.service", "share/systemd/user/cofferd.service",
            ] {
                let text = try #require(FileManager.default.contents(atPath: "\(home.prefix)/\(file)"))
                #expect(
                    String(decoding: text, as: UTF8.self).contains("\(home.prefix)/bin/cofferd"), "\(file)")
            }

            let foreign = "\(home.prefix)/share/dbus-1/services/other.service"
            try #require(FileManager.default.createFile(atPath: foreign, contents: Data()))
            let unchanged = try home.install("--uninstall", "--user", "--prefix", home.prefix, "--dry-run")
            #expect(unchanged.status == .code(0))
            #expect(paths(unchanged.lines, behind: "would remove") == files)
            #expect(try home.files(in: "prefix") == files.union([foreign]))
            let uninstall = try home.install("--user", "--prefix=\(home.prefix)", "--uninstall")
            #expect(uninstall.status == .code(0))
            #expect(paths(uninstall.lines, behind: "removed") == files)
            #expect(try home.files(in: "prefix") == [foreign])
            let left = try FileManager.default.contentsOfDirectory(atPath: home.prefix)
            #expect(Set(left) == ["bin", "share"])
            #expect(
                try home.install("--prefix", home.prefix, "--uninstall").status == .code(0),
                "nothing is left to do")
        }
    }

    @Test func `programs are installed without what only debuggers read`() throws {
        try withTemporaryFolder { folder in
            let home = try Home(in: folder)
            let built = "\(home.programs)/cofferd"
            try FileManager.default.removeItem(atPath: built)
            try FileManager.default.copyItem(atPath: BuiltProducts.path(of: "coffer"), toPath: built)
            let (lines, status) = try home.install("--prefix", home.prefix, "--from", home.programs)
            try #require(status == .code(0), "\(lines)")
            let size = { (program: String) in FileManager.default.contents(atPath: program)?.count ?? 0 }
            let (before, after) = (size(built), size("\(home.prefix)/bin/cofferd"))
            #expect(after > 0 && after < before, "\(before), \(after)")
            let installed = try ChildProcess(
                "\(home.prefix)/bin/cofferd", arguments: ["--version"], output: .discarded)
            #expect(try installed.waitForExit() == .code(0))
        }
    }

    @Test(
        arguments: [("/", ""), ("//", ""), ("/opt/", "/opt"), ("/opt/coffer//", "/opt/coffer")])
    func `a folder may be named with slashes behind it, and may be the root`(
        name: String, prefix: String
    ) throws {
        try withTemporaryFolder { folder in
            let home = try Home(in: folder)
            let (lines, status) = try home.install("--prefix", name, "--from", home.programs, "--dry-run")
            try #require(status == .code(0), "\(lines)")
            let planned = paths(lines, behind: "would install")
            #expect(planned.contains("\(prefix)/bin/coffer"))
            #expect(planned.contains("\(prefix)/share/systemd/user/cofferd.service"))
        }
    }

    @Test(arguments: [false, true])
    func `without a folder all goes into the home, or where it keeps its data`(hasDataHome: Bool) throws {
        try withTemporaryFolder { folder in
            let home = try Home(in: folder)
            let data = hasDataHome ? "\(folder)/data" : "\(folder)/home/.local/share"
            let variables = hasDataHome ? ["XDG_DATA_HOME": data] : [:]
            let (lines, status) = try home.install("--from=\(home.programs)", environment: variables)
            try #require(status == .code(0), "\(lines)")
            let files = try home.files(in: "home").union(home.files(in: "data"))
            #expect(files.contains("\(folder)/home/.local/bin/cofferd"))
            #expect(files.contains("\(data)/dbus-1/services/org.coffer.Storage1.service"))
            #expect(try home.files(in: "data").isEmpty == !hasDataHome)
            #expect(try home.install("--uninstall", environment: variables).status == .code(0))
            #expect(try home.files(in: "home").union(home.files(in: "data")).isEmpty)
        }
    }

    @Test
    func `what cannot be done is said by the code that the help names`() throws {
        try withTemporaryFolder { folder in
            let home = try Home(in: folder)
            let help = try home.install("--help")
            #expect(help.status == .code(0) && help.lines.first?.hasPrefix("Usage: dbus/install") == true)
            for option in ["--prefix", "--from"] { #expect(try home.install(option).status == .code(64)) }
            #expect(try home.install("--everywhere").status == .code(64))
            #expect(
                try home.install("--prefix", "\(folder)/a b", "--from", home.programs).status == .code(64))
            #expect(try home.install("--prefix", home.prefix, "--from", folder).status == .code(66))
            let file = "\(home.programs)/coffer"
            #expect(try home.install("--prefix", file, "--from", home.programs).status == .code(73))
            #expect(try home.files(in: "prefix").isEmpty && home.files(in: "home").isEmpty)
        }
    }
}
