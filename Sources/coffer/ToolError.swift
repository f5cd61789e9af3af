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
    ///
    /// `outcome` says what became of the save that failed, and `name` what objects are called.
    init(
        _ error: CofferError, outcome: String = "nothing was written",
        naming name: (ManagedObjectID) -> String = { $0.shortName }
    ) {
        switch error {
        case .conflicts(let conflicts):
            self.init(.tryAgain, ToolError.text(of: conflicts, outcome, name))
        case .validation(let failures):
            self.init(
                .data,
                (["The model's rules forbid it; \(outcome)."]
                    + failures.map { "  \(name($0.objectID)) \($0.property): \($0.text)" }).joined(
                        separator: "\n"))
        case .constraints(let conflicts): self.init(.data, ToolError.text(of: conflicts, outcome, name))
        case .incompatibleModel(let differing, let missing, let unknown):
            self.init(.data, ToolError.text(differing: differing, missing: missing, unknown: unknown))
        case .refused(_, "no_such_store", let text, _):
            self.init(.noInput, "\(text) 'coffer store list --all' shows which there are.")
        default: self.init(ToolError.status(of: error), error.description)
        }
    }

    private static func status(of error: CofferError) -> ExitStatus {
        switch error {
        case .validation, .constraints, .endlessSave, .incompatibleModel, .crossStoreRelationship, .predicate,
            .model, .unknown, .wrongType, .unorderedResults:
            .data
        case .conflicts, .objectDeleted: .tryAgain
        case .historyExpired, .generationExpired: .noInput
        case .unavailable: .unavailable
        case .refused(let code, let reason, _, _): status(ofCode: code, reason: reason)
        case .protocolViolation: .protocolViolation
        }
    }

    /// Reasons say more than codes; for those that are not named here, the code is enough.
    private static func status(ofCode code: String, reason: String) -> ExitStatus {
        switch reason {
        case "disk_full", "io", "damaged": return .inputOutput
        case "busy", "locked": return .tryAgain
        case "too_large", "unsupported_property": return .data
        case "read_only": return .noPermission
        default: break
        }
        return switch StatusCode.allCases.first(where: { $0.name == code }) {
        case .notFound: .noInput
        case .alreadyExists: .cannotCreate
        case .permissionDenied, .unauthenticated: .noPermission
        case .invalidArgument, .failedPrecondition, .outOfRange: .data
        case .aborted, .resourceExhausted, .deadlineExceeded, .cancelled: .tryAgain
        case .unavailable: .unavailable
        case .dataLoss: .inputOutput
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

    private static func text(
        of conflicts: [MergeConflict], _ outcome: String, _ name: (ManagedObjectID) -> String
    ) -> String {
        var lines = ["Somebody else changed what this command was about to write; \(outcome)."]
        for conflict in conflicts {
            let name = name(conflict.objectID)
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

    private static func text(
        of conflicts: [ConstraintConflict], _ outcome: String, _ name: (ManagedObjectID) -> String
    ) -> String {
        var lines = ["Objects must differ in these attributes; \(outcome)."]
        for conflict in conflicts {
            let names = conflict.objectIDs.map(name).joined(separator: " and ")
            let other = conflict.existingID.map { ", as \(name($0)) has it" } ?? ""
            lines.append(
                "  \(names): \(conflict.constraint.joined(separator: ", "))\(other)")
        }
        return lines.joined(separator: "\n")
    }
}
