package import CofferWire

extension CofferError {
    /// What is told to a client for which a store was migrated in another process.
    ///
    /// The client has no ids for objects that break a rule of the new model: a text says which they are.
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
