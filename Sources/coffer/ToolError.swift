import ArgumentParser
import Coffer
import CofferFormats
import CofferGeneration
import CofferLinux
import CofferModel
import CofferWire
import Glibc  // EPIPE

/// Why a command ends without having done what was asked.
struct ToolError: Error, CustomStringConvertible {
    /// What the exit code says.
    let status: ExitStatus
    /// What was wrong and what to do, for people.
    ///
    /// More lines may follow the first; the text is empty if there is no reader.
    let text: String

    var description: String { text }

    init(_ status: ExitStatus, _ text: String) {
        self.status = status
        self.text = text
    }

    /// A copy of the error with one more line.
    func adding(_ line: String) -> ToolError {
        ToolError(status, text.isEmpty ? line : "\(text)\n\(line)")
    }
}

/// Runs a command's work; what it throws becomes a line on standard error and an exit code.
func reporting<Result>(_ body: () throws -> Result) throws -> Result {
    StandardStreams.secure()
    do {
        return try body()
    } catch {
        let error = ToolError(any: error)
        if !error.text.isEmpty { StandardError.say("coffer: \(error.text)") }
        throw ExitCode(error.status.rawValue)
    }
}

extension ToolError {
    /// The one place where errors become exit codes and sentences.
    init(any error: any Error) {
        switch error {
        case let error as ToolError: self = error
        case let error as CofferError: self.init(error)
        case let error as FormatError: self.init(error)
        case let error as GenerationError: self.init(error)
        case let error as QueryError: self.init(.data, error.description)
        // The reader has had enough, as 'head' does.
        case let error as LinuxError where error.errno == EPIPE: self.init(.inputOutput, "")
        case let error as LinuxError: self.init(.inputOutput, "\(error)")
        default: self.init(.software, "\(error)")
        }
    }

    private init(_ error: GenerationError) {
        let status: ExitStatus =
            switch error {
            case .foreignFiles: .cannotCreate
            case .unwritable: .inputOutput
            case .duplicateClass, .invalidTypeName, .invalidPropertyName, .invalidAccess, .hiddenClass,
                .invalidRequest:
                .data
            }
        self.init(status, error.description)
    }

    private init(_ error: FormatError) {
        if case .unreadable = error {
            self.init(.noInput, error.description)
        } else {
            self.init(.data, error.description)
        }
    }

    /// What an error of the library says, with the values of both sides if they conflict, and what to do.
    ///
    /// `outcome` says what became of the save that failed, and `name` what objects are called.
    init(
        _ error: CofferError, outcome: String = "nothing was written",
        naming name: (ManagedObjectID) -> String = { $0.shortName }
    ) {
        var (text, items) = error.text(outcome: outcome, naming: name)
        if case .refused(_, "no_such_store", _, _) = error {
            text += " 'coffer store list --all' shows which there are."
        }
        if case .conflicts(let conflicts) = error {
            items = conflicts.flatMap { ToolError.items(of: $0, name($0.objectID)) }
        }
        text += items.prefix(ToolError.shownItems).map { "\n  \($0)" }.joined()
        if items.count > ToolError.shownItems { text += "\n  and \(items.count - ToolError.shownItems) more" }
        if case .conflicts = error { text += "\nRun it again, or say which values win with --merge-policy." }
        self.init(ToolError.status(of: error), text)
    }

    /// So many lines say what is wrong: the first ones are not to be out of the reader's sight.
    private static let shownItems = 20

    /// A line for each property, with the values that it was to go from and to, and the stored one.
    private static func items(of conflict: MergeConflict, _ name: String) -> [String] {
        guard let stored = conflict.stored else { return ["\(name) was deleted"] }
        let properties = conflict.properties.isEmpty ? conflict.wanted.keys.sorted() : conflict.properties
        return properties.map { property in
            let texts = [conflict.snapshot, stored, conflict.wanted].map {
                OutputValue($0[property] ?? .null).quotedText
            }
            return "\(name) \(property): was \(texts[0]), is now \(texts[1]), wanted \(texts[2])"
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
        case "busy", "locked", "store_in_use": return .tryAgain
        case "too_large", "unsupported_property", "unknown_history": return .data
        case "read_only", "not_adopted", "unadoptable": return .noPermission
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
}
