internal import CofferModel
internal import CofferWire

/// What earlier attempts at a save found out about uniqueness constraints, and how the policy decides about
/// it.
///
/// A save is first executed as if no constraint were in the way, which costs nothing when that is true. If
/// one is in the way, and the policy lets a side win, the attempt is undone and the save is executed again
/// with what was learned.
struct ConstraintResolution {
    /// The object that a new object is merged with.
    enum Target {
        /// An object that was stored before.
        case stored(LeafKey)
        /// Another new object, by its place among all inserts.
        case place(Int)
    }

    /// New objects, by place, that are merged with another.
    var merged: [Int: Target] = [:]
    /// Properties of stored objects that keep their stored values, whatever the request says.
    var protected: [RowKey: Set<Int>] = [:]
    /// Stored objects that are deleted because another object takes their unique values.
    var replaced: [LeafKey] = []
    /// The number of attempts before this one.
    var round = 0

    /// The object that a new one is merged with at the end of the chain; `nil` if it is not merged.
    func target(of place: Int) -> Target? {
        var target = merged[place]
        for _ in 0..<merged.count {
            guard case .place(let next) = target, let further = merged[next] else { break }
            target = further
        }
        return target
    }
}
