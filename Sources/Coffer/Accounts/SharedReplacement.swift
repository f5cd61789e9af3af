internal import CofferWire

/// What becomes of the content that a store shares with other machines when a backup takes its place.
public enum SharedReplacement: Sendable, Hashable {
    /// The backup begins as another copy of the store and gets all that came since it was made: the content
    /// stays what it is, and nothing is lost that was saved in the store of before. For a file that is
    /// damaged.
    case catchUp
    /// What the backup holds becomes the content on all machines: what is otherwise in it, or missing, is
    /// saved as an edit of now, and merged like one. For content that was spoiled.
    case makeContent

    var message: SharedReplacementMessage {
        switch self {
        case .catchUp: .catchUp
        case .makeContent: .makeContent
        }
    }
}
