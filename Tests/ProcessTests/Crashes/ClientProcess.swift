import CofferLinux
import Foundation
import TestSupport

/// A real application with a context of its own, which is spoken to through pipes.
///
/// Confined; waits for an answer as long as `patience`.
final class ClientProcess {
    struct Failure: Error, CustomStringConvertible {
        let answer: [String: String]
        var description: String { answer["error"] ?? "no answer" }
    }

    /// Nothing came, or the process ended.
    struct Silence: Error {}

    let child: ChildProcess
    private var input: OwnedDescriptor?
    private let lines: LineReader
    private let patience = Duration.seconds(90)

    /// Starts a client on a service's bus; it opens `store` unless told not to.
    ///
    /// If `through` names a program with arguments, that program starts the client.
    init(
        _ service: ServiceUnderTest, store: String = "Log", name: String = "client",
        version: String? = nil, checkpointPages: Int? = nil, cachePages: Int? = nil,
        journalMode: String? = nil,
        opens: Bool = true, through: [String] = [], environment extra: [String: String] = [:]
    ) throws {
        let pipe = try Pipe.make()
        var environment = service.bus.environment
        environment["COFFER_BUS_ADDRESS"] = service.bus.address
        environment.merge(extra) { $1 }
        let words = through + [try BuiltProducts.path(of: "process-client")]
        child = try ChildProcess(
            words[0], arguments: Array(words.dropFirst()), environment: environment, input: pipe.reader,
            output: .pipe)
        guard let output = child.outputLines() else { throw Silence() }
        input = pipe.writer
        lines = output
        guard opens else { return }
        var command = ["store": store, "name": name]
        command["checkpointPages"] = checkpointPages.map { "\($0)" }
        command["version"] = version
        command["cachePages"] = cachePages.map { "\($0)" }
        command["journalMode"] = journalMode
        try ask("open", command)
    }

    /// Sends a command and does not wait.
    func post(_ verb: String, _ command: [String: String] = [:]) throws {
        var command = command
        command["do"] = verb
        try input?.writeAll([UInt8](JSONEncoder().encode(command)) + [UInt8(ascii: "\n")])
    }

    /// The next line that the client writes, also one that tells of a failure.
    func next() throws -> [String: String] {
        guard let line = try lines.next(timeout: patience) else { throw Silence() }
        return try JSONDecoder().decode([String: String].self, from: Data(line.utf8))
    }

    /// The answer to a command.
    ///
    /// - Throws: `Failure` with all that the client says of it.
    @discardableResult
    func ask(_ verb: String, _ command: [String: String] = [:]) throws -> [String: String] {
        try post(verb, command)
        return try answer()
    }

    /// The answer to a command that was posted.
    @discardableResult
    func answer() throws -> [String: String] {
        let answer = try next()
        if answer["error"] != nil { throw Failure(answer: answer) }
        return answer
    }

    /// What a command that must fail says.
    func failure(_ verb: String, _ command: [String: String] = [:]) throws -> [String: String] {
        try post(verb, command)
        return try failure()
    }

    /// What is said of a command that was posted and must fail.
    func failure() throws -> [String: String] {
        do {
            return ["unexpected": "\(try answer())"]
        } catch let failure as Failure {
            return failure.answer
        }
    }

    /// Ends the client's input; gives what is written until the end.
    func rest() throws -> [String] {
        input = nil
        return try lines.rest()
    }

    /// Ends the client's input, and says how it ended then.
    func end() throws -> ExitStatus? {
        input = nil
        return try child.waitForExit(timeout: patience)
    }
}

extension ClientProcess {
    /// Inserts an entry and saves; gives the transaction's number.
    @discardableResult
    func insert(_ sequence: Int, title: String = "A", body: String = "a", as name: String = "") throws -> Int
    {
        try ask("insert", ["as": name, "sequence": "\(sequence)", "title": title, "body": body])
        return try save()
    }

    /// Whether it learns that its model does not fit any more: what it asks meanwhile may only be told that
    /// the file was exchanged.
    func isToldOfOtherModel() throws -> Bool {
        let first = try failure("count")["kind"]
        let last = first == "refused" ? try failure("count")["kind"] : first
        return last == "incompatibleModel"
    }

    /// Saves; gives the transaction's number.
    @discardableResult
    func save() throws -> Int {
        try post("save")
        return try number()
    }

    /// The transaction's number of a save that was posted.
    func number() throws -> Int { Int(try answer()["number"] ?? "") ?? -1 }

    /// How many requests the context has made.
    func roundTrips() throws -> Int { Int(try ask("statistics")["roundTrips"] ?? "") ?? -1 }

    /// How many entries the store has.
    func count() throws -> Int { Int(try ask("count")["count"] ?? "") ?? -1 }
}
