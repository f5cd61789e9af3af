import Coffer
import CofferLinux
import CofferModel
import FoundationEssentials

/// A real application of the process tests: does what the lines of its standard input say, and answers each
/// with a line.
///
/// Both are JSON objects of texts. A command's name is under `do`; an answer has `error` if the command
/// failed.
@main
struct ProcessClient {
    static func main() {
        let input = LineReader(OwnedDescriptor(owning: 0))
        let output = LinePrinter()
        do {
            var session: Session?
            while let line = try input.next() {
                let command = try JSONDecoder().decode([String: String].self, from: Data(line.utf8))
                output.print(answer(command, &session, output))
            }
        } catch {
            output.print(["error": "\(error)"])
        }
    }

    private static func answer(
        _ command: [String: String], _ session: inout Session?, _ output: LinePrinter
    ) -> [String: String] {
        do {
            if command["do"] == "open" {
                let opened = try Session(command)
                session = opened
                return [:]
            }
            if command["do"] == "migrate" { return try WordPolicy.migrate(command, output) }
            guard let session else { throw ProcessClientError.notOpen }
            return try session.run(command, output)
        } catch let error as CofferError {
            return describe(error)
        } catch {
            return ["error": "\(error)"]
        }
    }
}

/// Why a command makes no sense.
enum ProcessClientError: Error {
    case notOpen
    case unknownCommand(String)
    case missing(String)
    case noObject
}

/// Writes lines to the standard output, each at once.
///
/// Confined.
final class LinePrinter {
    private let descriptor = OwnedDescriptor(owning: 1)

    func print(_ object: [String: String]) {
        guard let bytes = try? JSONEncoder().encode(object) else { return }
        // If no process reads any more, the end of the input will end this process.
        try? descriptor.writeAll([UInt8](bytes) + [UInt8(ascii: "\n")])
    }
}

/// An error as an answer; conflicts with all that they say.
func describe(_ error: CofferError) -> [String: String] {
    var answer = ["error": "\(error)"]
    switch error {
    case .conflicts(let conflicts):
        answer["kind"] = "conflicts"
        answer["count"] = "\(conflicts.count)"
        guard let conflict = conflicts.first else { break }
        answer["snapshotVersion"] = "\(conflict.snapshotVersion)"
        answer["storedVersion"] = conflict.storedVersion.map { "\($0)" }
        for (key, value) in conflict.snapshot { answer["snapshot.\(key)"] = text(value) }
        for (key, value) in conflict.stored ?? [:] { answer["stored.\(key)"] = text(value) }
        for (key, value) in conflict.wanted { answer["wanted.\(key)"] = text(value) }
        answer["properties"] = conflict.properties.joined(separator: ",")
    case .refused(let code, let reason, let text, let place):
        answer["kind"] = "refused"
        answer["code"] = code
        answer["reason"] = reason
        answer["text"] = text
        answer["place"] = place
    case .unavailable: answer["kind"] = "unavailable"
    case .incompatibleModel(_, _, _, let changes):
        answer["kind"] = "incompatibleModel"
        answer["changes"] = changes.joined(separator: "; ")
    case .objectDeleted: answer["kind"] = "objectDeleted"
    default: break
    }
    return answer
}

/// A value as text; nothing for null.
func text(_ value: AttributeValue) -> String? {
    switch value {
    case .null: nil
    case .integer(let number): "\(number)"
    case .string(let text): text
    default: "\(value)"
    }
}
