internal import CofferWire

/// What becomes of content that was saved while no user was signed in, once a user signs in.
public enum LocalContentChoice: Sendable, Hashable {
    /// It stays apart, and is there again when no user is signed in.
    case keep
    /// It is joined into the account's content, once.
    case merge
    /// It is put aside, and deleted after 30 days.
    case discard

    var message: LocalContentMessage {
        switch self {
        case .keep: .keep
        case .merge: .merge
        case .discard: .discard
        }
    }
}
