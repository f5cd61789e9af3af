import CofferContainer
import CofferUbiquity
import CofferWire

extension AccountError {
    /// What the caller is told.
    var detail: ErrorDetailMessage {
        switch self {
        case .unfitName: .init(code: .invalidArgument, reason: "unfit_name", text: "\(self)", place: "name")
        case .unfitRoot(let path, _):
            .init(code: .invalidArgument, reason: "unfit_folder", text: "\(self)", place: path)
        case .nameTaken: .init(code: .alreadyExists, reason: "name_taken", text: "\(self)", place: "name")
        case .ambiguousRoot(let path, _):
            .init(code: .failedPrecondition, reason: "ambiguous_folder", text: "\(self)", place: path)
        case .markerMissing(_, let path):
            .init(code: .failedPrecondition, reason: "marker_missing", text: "\(self)", place: path)
        case .underWay: .init(code: .aborted, reason: "under_way", text: "\(self)")
        case .tooMany: .init(code: .resourceExhausted, reason: "too_many_accounts", text: "\(self)")
        case .signedOut: .init(code: .failedPrecondition, reason: "signed_out", text: "\(self)")
        case .carrier(let error): .init(code: error.code, reason: "folder", text: "\(self)")
        case .database where isTransient:
            .init(code: .unavailable, reason: "accounts", text: "\(self)")
        case .file, .database, .damaged, .newer:
            .init(code: .failedPrecondition, reason: "accounts", text: "\(self)")
        }
    }
}

extension CarrierError {
    fileprivate var code: StatusCode {
        switch self {
        case .away: .notFound
        case .forbidden: .permissionDenied
        case .full, .overfull, .tooLarge: .resourceExhausted
        case .readOnly, .unreadable, .unwatchable: .failedPrecondition
        }
    }
}
