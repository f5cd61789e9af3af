package import CofferContainer

/// How far an account's own store is that is filled from its container beside what serves.
package enum BuildingProgress: Hashable, Sendable {
    /// There is more to come.
    case fills
    /// All that the container has is in it.
    case isWhole
    /// What it was filled from is gone: it is begun again.
    case isGone
    /// The container turned out to be empty: it is looked at again.
    case hasNothing

    /// What is known of it.
    ///
    /// - Parameters:
    ///   - condition: What is known of the container.
    ///   - isWhole: Whether everything that is known of in it is in the store.
    ///   - listedCount: How much that is.
    package init(in condition: ContainerCondition, isWhole: Bool, listedCount: Int) {
        switch condition {
        case .emptied, .replaced: self = .isGone
        case .there: self = isWhole ? (listedCount > 0 ? .isWhole : .hasNothing) : .fills
        case .new, .doubtful, .away, .locked, .newer: self = .fills
        }
    }
}
