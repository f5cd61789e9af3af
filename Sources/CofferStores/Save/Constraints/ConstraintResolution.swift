internal import CofferModel
internal import CofferWire

/// What earlier attempts at a save found out about uniqueness constraints, and what the policy makes of it.
///
/// A save is first executed as if no constraint were in the way, which costs nothing where that is so. Where
/// one is, and the policy lets somebody win, the attempt is taken back, and the save is executed again with
/// what was learned.
struct ConstraintResolution {
    /// Whom a new object is one with.
    enum Target {
        /// An object that was stored before.
        case stored(LeafKey)
        /// Another new object, by its place among all inserts.
        case place(Int)
    }

    /// New objects, by place, that are one with another.
    var merged: [Int: Target] = [:]
    /// Properties of stored objects that stay as they are stored, whatever the request says.
    var protected: [RowKey: Set<Int>] = [:]
    /// Stored objects that go, since another takes the values that may be there once.
    var replaced: [LeafKey] = []
    /// Attempts before this one.
    var round = 0

    /// Whom a new object is one with at the end of the chain; `nil` where it is itself.
    func target(of place: Int) -> Target? {
        var target = merged[place]
        for _ in 0..<merged.count {
            guard case .place(let next) = target, let further = merged[next] else { break }
            target = further
        }
        return target
    }
}
