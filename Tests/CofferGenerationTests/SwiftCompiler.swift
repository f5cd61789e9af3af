import CofferLinux
import FoundationEssentials
import TestSupport

/// Type-checks Swift that was made of a model as an application's, against the modules that were built with
/// the tests.
struct SwiftCompiler {
    /// Whether there is a compiler; a machine that runs built tests need not have one.
    static let isThere = (try? run("swiftc", ["--version"])) != nil

    private let arguments: [String]

    /// A compiler that knows the modules.
    ///
    /// - Throws: `BuiltProducts.Missing` if nothing was built.
    init() throws {
        let build = try BuiltProducts.path(of: "coffer").split(separator: "/").dropLast().map { "/\($0)" }
            .joined()
        let sources = testFolder + "/../../Sources"
        let manager = FileManager.default
        var arguments = [
            // One process for all files, which else load the modules for each.
            "-typecheck", "-whole-module-optimization", "-swift-version", "6", "-warnings-as-errors",
            "-package-name", "application",
            "-module-name", "Application", "-I", build + "/Modules", "-module-cache-path",
            build + "/ModuleCache",
        ]
        // What the strictest application asks for.
        for feature in ["ExistentialAny", "InternalImportsByDefault", "MemberImportVisibility"] {
            arguments += ["-enable-upcoming-feature", feature]
        }
        // Modules of C, which those of Swift need though they show nothing of them.
        for name in try manager.contentsOfDirectory(atPath: sources).sorted() where name.hasPrefix("C") {
            let include = "\(sources)/\(name)/include"
            if manager.fileExists(atPath: include) { arguments += ["-Xcc", "-I" + include] }
            for map in ["\(sources)/\(name)/module.modulemap", "\(build)/\(name).build/module.modulemap"]
            where manager.fileExists(atPath: map) {
                arguments += ["-Xcc", "-fmodule-map-file=" + map]
            }
        }
        let libraries = ["dbus-1", "libprotobuf-c", "sqlite3", "expat", "zlib", "libsodium"]
        let packages = ["--cflags-only-I"] + libraries
        for flag in try Self.run("pkg-config", packages).joined(separator: " ").split(separator: " ") {
            arguments += ["-Xcc", String(flag)]
        }
        self.arguments = arguments
    }

    /// What the compiler has against the files of one application, by their names; nothing if they are
    /// right.
    func complaints(about files: [String: String]) throws -> [String] {
        try withTemporaryFolder { (path) throws in
            let folder = try Folder(at: path)
            for (name, text) in files { try folder.replace(name, with: Array(text.utf8)) }
            do {
                _ = try Self.run("swiftc", arguments + files.keys.sorted().map { "\(path)/\($0)" })
                return []
            } catch let failure as Failure {
                let errors = failure.lines.filter { $0.contains(": error:") }
                return errors.isEmpty ? failure.lines : errors
            }
        }
    }

    /// A program that ended otherwise than well, and what it printed.
    private struct Failure: Error {
        let lines: [String]
    }

    private static func run(_ program: String, _ arguments: [String]) throws -> [String] {
        let child = try ChildProcess(
            "/bin/sh", arguments: ["-c", #"exec "$0" "$@" 2>&1"#, program] + arguments, output: .pipe)
        let lines = try child.outputLines()?.rest() ?? []
        guard try child.waitForExit() == .code(0) else { throw Failure(lines: lines) }
        return lines
    }
}
