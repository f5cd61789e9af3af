import ArgumentParser
import Coffer
import CofferFormats
import CofferGeneration
import CofferLinux
import CofferModel
import CofferWire
import Glibc  // EPIPE

/// Why a command ends without having done what was asked.
struct ToolError: Error {
    /// What the exit code says.
    let status: ExitStatus
    /// What was wrong and what to do, for people; more lines may follow the first.
    let text: String

    init(_ status: ExitStatus, _ text: String) {
        self.status = status
        self.text = text
    }
}

/// Runs a command's work; what it throws becomes a line on standard error and an exit code.
func reporting<Result>(_ body: () throws -> Result) throws -> Result {
    do {
        return try body()
    } catch let error as ToolError {
        throw error.reported
    } catch let error as CofferError {
        throw ToolError(error).reported
    } catch let error as FormatError {
        throw ToolError(error).reported
    } catch let error as GenerationError {
        throw ToolError(error).reported
    } catch let error as QueryError {
        throw ToolError(.data, error.description).reported
    } catch let error as LinuxError where error.errno == EPIPE {
        throw ExitCode(ExitStatus.inputOutput.rawValue)  // Whoever read has had enough, as 'head' does.
    } catch let error as LinuxError {
        throw ToolError(.inputOutput, "\(error)").reported
    }
}

extension ToolError {
    fileprivate var reported: ExitCode {
        StandardError.say("coffer: \(text)")
        return ExitCode(status.rawValue)
    }

    init(_ error: GenerationError) {
        let status: ExitStatus =
            switch error {
            case .foreignFiles: .cannotCreate
            case .unwritable: .inputOutput
            case .duplicateClass, .invalidTypeName, .invalidPropertyName, .invalidAccess, .invalidRequest:
                .data
            }
        self.init(status, error.description)
    }

    init(_ error: FormatError) {
        if case .unreadable = error {
            self.init(.noInput, error.description)
        } else {
            self.init(.data, error.description)
        }
    }

    /// The one place where errors of the library become exit codes and sentences.
    init(_ error: CofferError) {
        switch error {
        case .conflicts(let conflicts): self.init(.tryAgain, ToolError.text(of: conflicts))
        case .validation(let failures):
            self.init(
                .data,
                (["The model's rules forbid it; nothing was written."]
                    + failures.map { "  \($0.objectID.shortName) \($0.property): \($0.text)" }).joined(
                        separator: "\n"))
        case .constraints(let conflicts): self.init(.data, ToolError.text(of: conflicts))
        case .endlessSave(let rounds):
            self.init(.data, "Objects changed each other while being saved, \(rounds) times over.")
        case .objectDeleted(let id): self.init(.tryAgain, "\(id.shortName) was deleted by somebody else.")
        case .incompatibleModel(let differing, let missing, let unknown):
            self.init(.data, ToolError.text(differing: differing, missing: missing, unknown: unknown))
        case .crossStoreRelationship(let from, let to, let relationship):
            self.init(
                .data,
                "\(from.shortName).\(relationship) cannot lead to \(to.shortName), which is in another store."
            )
        case .predicate(let error): self.init(.data, error.description)
        case .model(let error): self.init(.data, "\(error)")
        case .unknown(let kind, let name): self.init(.data, "There is no \(kind) '\(name)'.")
        case .wrongType(let entity, let property, let expected):
            self.init(.data, "'\(entity).\(property)' takes \(expected).")
        case .historyExpired(let floor, let current):
            self.init(
                .noInput, "That history was deleted: it begins after \(floor), and ends with \(current).")
        case .generationExpired: self.init(.noInput, "The pinned state of the store is not kept any more.")
        case .unavailable(let text): self.init(.unavailable, text)
        case .refused(let code, let reason, let text, let place):
            self.init(
                ToolError.status(ofCode: code, reason: reason),
                text.contains(place) || place.isEmpty ? text : "\(text) (\(place))")
        case .unorderedResults(let text): self.init(.data, text)
        case .protocolViolation(let text): self.init(.protocolViolation, text)
        }
    }

    private static func status(ofCode code: String, reason: String) -> ExitStatus {
        switch StatusCode.allCases.first(where: { $0.name == code }) {
        case .notFound: .noInput
        case .alreadyExists: .cannotCreate
        case .permissionDenied, .unauthenticated: .noPermission
        case .invalidArgument, .failedPrecondition, .outOfRange, .dataLoss: .data
        case .aborted, .resourceExhausted, .deadlineExceeded, .cancelled: .tryAgain
        case .unavailable: reason == "locked" ? .tryAgain : .unavailable
        case .ok, .unknown, .unimplemented, .internal, nil: .software
        }
    }

    private static func text(differing: [String], missing: [String], unknown: [String]) -> String {
        var lines = ["The store was made with another model; nothing was changed."]
        if !differing.isEmpty { lines.append("  differ: \(differing.joined(separator: ", "))") }
        if !missing.isEmpty { lines.append("  not in the store: \(missing.joined(separator: ", "))") }
        if !unknown.isEmpty { lines.append("  not in the model: \(unknown.joined(separator: ", "))") }
        return lines.joined(separator: "\n")
    }

    private static func text(of conflicts: [MergeConflict]) -> String {
        var lines = ["Somebody else changed what this command was about to write; nothing was written."]
        for conflict in conflicts {
            let name = conflict.objectID.shortName
            guard let stored = conflict.stored else {
                lines.append("  \(name) was deleted")
                continue
            }
            let properties = conflict.properties.isEmpty ? conflict.wanted.keys.sorted() : conflict.properties
            for property in properties {
                let texts = [conflict.snapshot, stored, conflict.wanted].map {
                    OutputValue($0[property] ?? .null).quotedText
                }
                lines.append("  \(name) \(property): was \(texts[0]), is now \(texts[1]), wanted \(texts[2])")
            }
        }
        lines.append("Run it again, or choose who wins with --merge-policy.")
        return lines.joined(separator: "\n")
    }

    private static func text(of conflicts: [ConstraintConflict]) -> String {
        var lines = ["Objects must differ in these attributes; nothing was written."]
        for conflict in conflicts {
            let other = conflict.existingID.map { ", as \($0.shortName) has it" } ?? ""
            lines.append(
                "  \(conflict.objectID.shortName): \(conflict.constraint.joined(separator: ", "))\(other)")
        }
        return lines.joined(separator: "\n")
    }
}
