import CofferWire

/// What wins when a save finds that an object changed in the store since the context read it.
public enum MergePolicy: Sendable, Hashable, CaseIterable {
    /// Nobody: the save throws `CofferError.conflicts`, and nothing is written.
    case error
    /// Each changed property is judged by itself; the store wins where both changed one.
    case mergeByPropertyStoreTrump
    /// Each changed property is judged by itself; the context wins where both changed one.
    case mergeByPropertyObjectTrump
    /// The context's whole object wins.
    case overwrite
    /// The store's whole object wins.
    case rollback

    /// As it travels.
    var message: MergePolicyMessage {
        switch self {
        case .error: .error
        case .mergeByPropertyStoreTrump: .storeTrump
        case .mergeByPropertyObjectTrump: .objectTrump
        case .overwrite: .overwrite
        case .rollback: .rollback
        }
    }
}
