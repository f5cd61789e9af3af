internal import CofferWire

/// What becomes of what was saved while nobody was signed in, when somebody is.
public enum LocalContentChoice: Sendable, Hashable {
    /// It stays apart, and is there again when nobody is signed in.
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
