/// What the tool's exit code says; all but the first and the last are those of sysexits.h.
enum ExitStatus: Int32, CaseIterable {
    case declined = 1
    case usage = 64
    case data = 65
    case noInput = 66
    case unavailable = 69
    case software = 70
    case cannotCreate = 73
    case inputOutput = 74
    case tryAgain = 75
    case protocolViolation = 76
    case noPermission = 77
    case interrupted = 130

    /// What it means, for people.
    var meaning: String {
        switch self {
        case .declined:
            "the answer to a question was no, and nothing was done; or what was verified is not as it should be"
        case .usage: "wrong arguments"
        case .data: "a value, predicate or file does not fit the model, or a rule of the model forbids it"
        case .noInput: "no such store, object, account or file"
        case .unavailable: "no service, or no bus"
        case .software: "an error inside the service"
        case .cannotCreate: "it exists already"
        case .inputOutput: "reading or writing failed"
        case .tryAgain:
            "another program was faster (a conflict) or has the store open, or the service is busy: try again"
        case .protocolViolation: "tool and service do not understand each other"
        case .noPermission: "not allowed"
        case .interrupted: "ended by Ctrl-C; what was saved before stays"
        }
    }

    /// All of them as a sentence for `--help`.
    static var help: String {
        "Exit codes: 0 done, " + allCases.map { "\($0.rawValue) \($0.meaning)" }.joined(separator: "; ") + "."
    }
}
