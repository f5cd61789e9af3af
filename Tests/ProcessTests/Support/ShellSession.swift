import CofferLinux
import TestSupport

/// Commands as a user types them into one shell, on a private bus, and what each of them prints.
struct ShellSession {
    /// Stands between what two commands print.
    private static let mark = "\u{1E}"

    let bus: PrivateBus
    /// The folder that the shell starts in.
    let folder: String

    /// What each command prints, errors included.
    ///
    /// A command that goes on in the background counts as begun when it has printed a line; what else it
    /// prints comes with the `wait` for it. All of them together have 80 seconds.
    func run(_ commands: [String]) throws -> [[String]] {
        let script = Self.prologue + commands.map(Self.line).joined()
        try Folder(at: folder).replace("session.sh", with: Array(script.utf8))
        let programs = try BuiltProducts.path(of: "cofferd").split(separator: "/").dropLast()
            .map { "/\($0)" }.joined()
        var environment = bus.environment
        // Debian's own Python is the one with a binding of D-Bus.
        environment["PATH"] = "\(programs):/usr/bin:\(environment["PATH"] ?? "")"
        environment["COLUMNS"] = "110"
        environment["LC_ALL"] = "C.UTF-8"
        environment["PYTHONDONTWRITEBYTECODE"] = "1"
        environment["FOLDER"] = folder
        let shell = try ChildProcess(
            "timeout", arguments: ["80", "stdbuf", "-oL", "bash", "\(folder)/session.sh"],
            environment: environment,
            output: .pipe)
        var outputs: [[String]] = [[]]
        for line in try shell.outputLines()?.rest() ?? [] {
            if line == Self.mark {
                outputs.append([])
            } else {
                outputs[outputs.count - 1].append(line)
            }
        }
        let status = try shell.waitForExit()
        guard status == .code(0), outputs.count == commands.count + 1 else {
            throw ToolFailure(tool: "bash", arguments: outputs.suffix(2).flatMap { $0 }, status: status)
        }
        return Array(outputs.dropLast())
    }

    private static let prologue = """
        exec 2>&1
        cd "$FOLDER" || exit
        begun=0
        processes=() shown=()
        begin() { # Shows the first line of what was begun in the background just now.
            local end=$((SECONDS + 30))
            begun=$((begun + 1)) processes[begun]=$1
            until [ -s "$FOLDER/background.$begun" ] || [ $SECONDS -ge $end ]; do sleep 0.02; done
            head -n 1 "$FOLDER/background.$begun"
        }
        rest() { # Shows the other lines of what was begun in the background and has ended.
            local i
            for ((i = 1; i <= begun; i++)); do
                if [ -n "${shown[i]-}" ] || kill -0 "${processes[i]}" 2>/dev/null; then continue; fi
                tail -n +2 "$FOLDER/background.$i"
                shown[i]=1
            done
        }

        """

    private static func line(_ command: String) -> String {
        let done = "printf '%b\\n' '\\036'\n"
        if command.hasSuffix(" &") {
            let file = "\"$FOLDER/background.$((begun + 1))\""
            return "{ \(command.dropLast(2)); } >\(file) 2>&1 &\nbegin $!\n" + done
        }
        return command + "\n" + (command.hasPrefix("wait") ? "rest\n" : "") + done
    }
}
