package import CofferWire

extension CofferError {
    /// What the client is told for whom a store was migrated in another process.
    ///
    /// Of objects that break a rule of the new model it has nothing by which to name them: a text says which.
    package var migrationDetail: ErrorDetailMessage {
        switch self {
        case .refused(let code, let reason, let text, let place):
            .init(
                code: StatusCode.allCases.first { $0.name == code } ?? .unknown, reason: reason, text: text,
                place: place)
        default: .init(code: .failedPrecondition, reason: "unmigratable", text: "\(self)")
        }
    }
}
