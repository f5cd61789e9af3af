import CofferLinux

/// Makes a symbolic link, by the tool for it: nothing of ours has a use for one.
func link(_ path: String, to target: String) throws {
    try run("ln", ["-s", target, path])
}

/// Runs a tool and waits for its success.
func run(_ tool: String, _ arguments: [String]) throws {
    let status = try ChildProcess(tool, arguments: arguments).waitForExit()
    if status != .code(0) { throw ToolFailure(tool: tool, arguments: arguments, status: status) }
}

/// A tool that failed.
struct ToolFailure: Error {
    let tool: String
    let arguments: [String]
    let status: ExitStatus
}
