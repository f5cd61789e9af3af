/// Whose change counts if others have changed an object since a client read it: the merge policies that
/// need no application.
///
/// The one place where that is decided, for stores, for contexts above others, and for a context that has
/// heard of a change itself.
package enum MergeRule: Sendable, CaseIterable {
    /// Neither change counts: that is a conflict, and nothing is written.
    case error
    /// Property by property; what is stored if both changed one.
    case storeTrump
    /// Property by property; what the client wants if both changed one.
    case objectTrump
    /// The client's whole object.
    case overwrite
    /// The stored object as a whole.
    case rollback
}

/// What becomes of a property or an object.
package enum MergeDecision: Sendable {
    /// What the client wants is written.
    case wanted
    /// What is stored stays.
    case stored
    /// Neither: the client is told of a conflict.
    case conflict
}

extension MergeRule {
    /// Decides about an object as a whole: whether it is updated, brought back or deleted as the client
    /// wants.
    package func decide(_ object: MergeSituation) -> MergeDecision {
        guard object == .contested else { return .wanted }
        return switch self {
        case .error: .conflict
        case .storeTrump, .rollback: .stored
        case .objectTrump, .overwrite: .wanted
        }
    }

    /// Decides about one property of an object, which as a whole may be in another situation.
    package func decide(_ property: MergeSituation, in object: MergeSituation) -> MergeDecision {
        decide(judgesProperties ? property : object)
    }

    /// Decides about one property that `object` has, from its value in three places, each `nil` if it is
    /// not known.
    package func decide<Value: Equatable>(
        old: Value?, stored: Value?, wanted: Value, in object: MergeSituation
    ) -> MergeDecision {
        decide(MergeSituation(old: old, stored: stored, wanted: wanted), in: object)
    }

    /// Whether each property is judged by itself.
    private var judgesProperties: Bool { self == .storeTrump || self == .objectTrump }

    /// Whether a contested object gets, besides what the client changed, all else that the client had read of
    /// it.
    package var writesWholeObjects: Bool { self == .overwrite }

    /// Whether a contested object loses what only the client changed.
    package var keepsWholeObjects: Bool { self == .rollback }
}
