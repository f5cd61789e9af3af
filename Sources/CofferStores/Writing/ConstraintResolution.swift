internal import CofferModel
internal import CofferWire

/// What earlier attempts at a save found out about uniqueness constraints, and what the policy makes of it.
///
/// A save is first executed as if no constraint were in the way, which costs nothing where that is so. Where one is, and the policy lets
/// somebody win, the attempt is taken back, and the save is executed again with what was learned.
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
    var kept: [RowKey: Set<Int>] = [:]
    /// Stored objects that go, since another takes the values that may be there once.
    var replaced: [LeafKey] = []
    /// Attempts before this one.
    var round = 0

    /// Whether there is nothing to do otherwise than the request says.
    var isEmpty: Bool { merged.isEmpty && kept.isEmpty && replaced.isEmpty }

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

extension SaveRun {
    /// Who wins where somebody else has changed an object.
    var mergeRule: MergeRule { save.mergePolicy.rule }

    /// Who wins where a uniqueness constraint is broken.
    var constraintRule: MergeRule { (save.constraintPolicy ?? save.mergePolicy).rule }

    /// Learns what the policy makes of a row that may not have the values of `holder`; `properties` are the constraint's attributes.
    ///
    /// It answers `false` where that is for the client to decide.
    mutating func learn(_ object: LeafKey, _ properties: [Int], holder: LeafKey) -> Bool {
        let decision = constraintRule.decide(.contested)
        guard decision != .conflict, !batchProgress.isRunning,
            resolution.round + 1 < Limits.constraintRounds
        else { return false }
        if let place = inserted.place(of: object) {
            // Of another entity it cannot become.
            guard holder.entity == object.entity else { return false }
            resolution.merged[place] = inserted.place(of: holder).map { .place($0) } ?? .stored(holder)
        } else if decision == .wanted {
            // Two objects that the request itself changes to the same: nothing tells which is meant.
            guard !inserted.contains(holder), !objects.isUpdated(holder) else { return false }
            resolution.replaced.append(holder)
        } else {
            guard !objects.isUpdated(holder) else { return false }
            let root = writer.file.schema.model.entities[object.entity].rootIndex
            var kept = Set(properties)
            if constraintRule.keepsWholeObjects {
                kept = Set(writer.file.schema.model.entities[object.entity].properties.indices)
            }
            resolution.kept[RowKey(root: root, key: object.key), default: []].formUnion(kept)
        }
        hasLearned = true
        return true
    }
}
