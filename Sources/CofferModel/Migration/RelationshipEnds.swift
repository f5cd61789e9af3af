/// Which references a relationship may lose in a migration: whatever carries it out counts and tells them.
package struct RelationshipLosses: OptionSet, Sendable, Hashable {
    /// The bits.
    package let rawValue: UInt8

    /// The losses of `rawValue`'s bits.
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// It held several objects, and is to hold one.
    package static let several = RelationshipLosses(rawValue: 1 << 0)
    /// Objects of some entities could be at its end, and may be there no more.
    package static let entities = RelationshipLosses(rawValue: 1 << 1)
    /// Its inverse may lose some, by its count or its entities: both ends are in step.
    package static let atInverse = RelationshipLosses(rawValue: 1 << 2)
}

/// What the ends of relationships can hold in two models whose entities are matched.
struct RelationshipEnds {
    /// What becomes of the objects at an end that led to one entity and leads to another.
    struct Change {
        /// Whether some of them may still be there, or all of their entities are gone.
        var isPossible = true
        /// The entities whose objects may be there no more, by their names in the destination: the first few.
        var lost: [String] = []
    }

    /// How many of the lost entities a text names; one more is known, to say that there are others.
    static let namedCount = 3

    private struct Pair: Hashable {
        let past: Int
        let present: Int
    }

    private let source: ManagedObjectModel
    private let destination: ManagedObjectModel
    /// By the source's entities: what they are now; `nil` for those that are gone.
    private let successors: [Int?]
    /// Entities inherit relationships, so that the same pairs come again and again.
    private var known: [Pair: Change] = [:]

    init(source: ManagedObjectModel, destination: ManagedObjectModel, origins: [Int?]) {
        self.source = source
        self.destination = destination
        var successors = [Int?](repeating: nil, count: source.entities.count)
        for case (let index, let origin?) in origins.enumerated() { successors[origin] = index }
        self.successors = successors
    }

    /// What becomes of the objects at the end of a relationship.
    mutating func change(from old: RelationshipDescription, to new: RelationshipDescription) -> Change {
        change(Pair(past: old.destinationIndex, present: new.destinationIndex))
    }

    /// Which references a relationship may lose.
    mutating func losses(
        from old: RelationshipDescription, to new: RelationshipDescription
    ) -> RelationshipLosses {
        var losses: RelationshipLosses = []
        if old.isToMany && !new.isToMany { losses.insert(.several) }
        if !change(from: old, to: new).lost.isEmpty { losses.insert(.entities) }
        guard let inverse = destination.inverse(of: new) else { return losses }
        let former = source.inverse(of: old)
        // Without an inverse, any number of the objects that have the relationship may hold the same one.
        let wasToMany = former?.isToMany ?? true
        let holder = former?.destinationIndex ?? old.declaringEntityIndex
        let back = change(Pair(past: holder, present: inverse.destinationIndex))
        if wasToMany && !inverse.isToMany || !back.lost.isEmpty { losses.insert(.atInverse) }
        return losses
    }

    /// Whether an entity is new with all that inherit from it, and itself inherits from one that a reference
    /// could lead to: then all references become empty.
    private func isNew(_ entity: Int, under left: [(past: Int, successor: Int)]) -> Bool {
        let family = destination.entities[entity].familyIndices
        if successors.contains(where: { $0.map(family.contains) ?? false }) { return false }
        return left.contains { destination.entities[$0.successor].familyIndices.contains(entity) }
    }

    private mutating func change(_ pair: Pair) -> Change {
        if let change = known[pair] { return change }
        let present = destination.entities[pair.present].familyIndices
        let left = source.entities[pair.past].familyIndices.compactMap { past in
            successors[past].map { (past: past, successor: $0) }
        }
        var change = Change()
        change.isPossible =
            left.isEmpty || left.contains { present.contains($0.successor) }
            || isNew(pair.present, under: left)
        let lost = left.lazy.filter { [source] in
            !present.contains($0.successor) && !source.entities[$0.past].isAbstract
        }
        change.lost = lost.prefix(Self.namedCount + 1).map { destination.entities[$0.successor].name }
        known[pair] = change
        return change
    }
}
