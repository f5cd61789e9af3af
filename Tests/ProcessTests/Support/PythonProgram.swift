import CofferLinux
import TestSupport

/// A program of Tests/ProcessTests/Python, with messages that protoc newly makes from Protos/.
struct PythonProgram {
    private static let sources = #filePath.split(separator: "/").dropLast(4).map { "/\($0)" }.joined()

    let messages: String

    /// Makes the messages in `folder`, which everybody may read.
    init(messagesIn folder: String) throws {
        messages = folder
        let protos = "\(Self.sources)/Protos"
        let names = try Folder(at: "\(protos)/coffer/v1").names().filter { $0.hasSuffix(".proto") }.sorted()
        try run(
            "protoc", ["--python_out=\(folder)", "-I\(protos)"] + names.map { "\(protos)/coffer/v1/\($0)" })
    }

    /// Starts a program on a bus; as another user if one is named.
    func start(
        _ name: String, _ arguments: [String] = [], on bus: PrivateBus, user: UInt32? = nil,
        output: ChildOutput = .pipe
    ) throws -> ChildProcess {
        var environment = bus.environment
        environment["COFFER_MESSAGES"] = messages
        environment["PYTHONDONTWRITEBYTECODE"] = "1"
        let program =
            ["/usr/bin/python3", "\(Self.sources)/Tests/ProcessTests/Python/\(name).py"] + arguments
        guard let user else {
            return try ChildProcess(
                program[0], arguments: Array(program.dropFirst()), environment: environment, output: output)
        }
        return try ChildProcess(
            "setpriv", arguments: ["--reuid=\(user)", "--regid=\(user)", "--clear-groups", "--"] + program,
            environment: environment, output: output)
    }
}
