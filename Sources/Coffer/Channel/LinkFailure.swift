/// Why a link to the service carries nothing any more.
enum LinkFailure: Error, Sendable, Equatable {
    /// The service hung up, or died.
    case closed
    /// The service sent bytes that are not a valid frame.
    case violation(String)
    /// The system refused to send or receive.
    case system(String)
}

extension LinkFailure: CustomStringConvertible {
    var description: String {
        switch self {
        case .closed: "the service closed the channel"
        case .violation(let text): "the service sent an invalid frame: \(text)"
        case .system(let text): text
        }
    }
}
