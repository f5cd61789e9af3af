package import CofferModel

extension MergePolicyMessage {
    /// A rule as it travels.
    package init(_ rule: MergeRule) {
        self =
            switch rule {
            case .error: .error
            case .storeTrump: .storeTrump
            case .objectTrump: .objectTrump
            case .overwrite: .overwrite
            case .rollback: .rollback
            }
    }

    /// The rule that decides.
    package var rule: MergeRule {
        switch self {
        case .error: .error
        case .storeTrump: .storeTrump
        case .objectTrump: .objectTrump
        case .overwrite: .overwrite
        case .rollback: .rollback
        }
    }
}
