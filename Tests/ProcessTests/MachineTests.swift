import CofferLinux
import TestSupport
import Testing

/// The root of the sources.
private let root = "\(#filePath.split(separator: "/").dropLast(3).map { "/\($0)" }.joined())"

/// A program of Tests/ProcessTests/Machine; its output is a pipe.
private func program(_ name: String, _ arguments: [String]) throws -> ChildProcess {
    try ChildProcess(
        "\(root)/Tests/ProcessTests/Machine/\(name)", arguments: arguments, output: .pipe, errors: .discarded)
}

/// What keeps a machine of its own from being started here; `nil` if nothing does.
private let obstacle: String? = {
    do {
        let check = try program("boot", ["--check"])
        let reason = try check.outputLines()?.rest().first
        return try check.waitForExit() == .code(0) ? nil : reason ?? "no machine can be started"
    } catch {
        return "\(error)"
    }
}()

/// The folder of the Swift libraries that programs built for debugging load.
private func librariesFolder(of program: String) throws -> String {
    let loader = try ChildProcess("ldd", arguments: [program], output: .pipe)
    let lines = try loader.outputLines()?.rest() ?? []
    let path = lines.first { $0.contains("libswiftCore.so") }?.split(separator: " ").first {
        $0.hasPrefix("/")
    }
    return path.map { $0.split(separator: "/").dropLast().map { "/\($0)" }.joined() } ?? "/"
}

extension OneAtATime {
    /// The service of the whole system, as `dbus/install --system` leaves it, in a machine that systemd has
    /// started.
    struct MachineTests {
        @Test(
            .enabled(if: obstacle == nil, Comment(rawValue: "a machine of its own: \(obstacle ?? "")")))
        func `the installed system service serves two users and an administrator, confined, and comes back`()
            throws
        {
            let cofferd = try BuiltProducts.path(of: "cofferd")
            let programs = String(cofferd.dropLast("/cofferd".count))
            let machine = try program(
                "boot",
                [
                    root, try librariesFolder(of: cofferd), "/bin/bash",
                    "\(root)/Tests/ProcessTests/Machine/system-service", root, programs,
                ])
            let lines = try machine.outputLines()?.rest() ?? []
            #expect(try machine.waitForExit() == .code(0))
            let told = lines.joined(separator: "\n")
            #expect(lines.first == "booted" && lines.last == "finished", "\(told)")
            #expect(!told.contains("FAILED"), "\(told)")
            #expect(lines.count { $0.hasPrefix("ok: ") } == 26)
        }
    }
}
