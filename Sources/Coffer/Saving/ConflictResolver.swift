public import CofferModel

/// Decides for an application about the conflicts of a save.
///
/// The save is first sent as under `MergePolicy.error`. What is in conflict is handed to `resolve`, on the
/// context's actor; what it decides is done to the context's objects, and the save is sent again, at most 5
/// times in all, since others may save meanwhile.
public struct ConflictResolver: Sendable, Hashable {
    /// Resolvers with the same name are equal.
    public let name: String
    let resolve: @Sendable (SaveConflicts) -> SaveResolution?

    /// A resolver whose closure decides about all conflicts that it is given, or gives `nil`: then the save
    /// throws them.
    public init(name: String, resolve: @escaping @Sendable (SaveConflicts) -> SaveResolution?) {
        self.name = name
        self.resolve = resolve
    }

    /// Whether the names are equal.
    public static func == (left: Self, right: Self) -> Bool { left.name == right.name }

    /// Hashes the name.
    public func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

/// What keeps a save from being written.
public struct SaveConflicts: Sendable {
    /// Objects that were changed or deleted elsewhere.
    public let objects: [MergeConflict]
    /// Objects that agree in what must be unique.
    public let constraints: [ConstraintConflict]
    /// How often the save was refused before.
    public let round: Int
}

/// What an application decides about the conflicts of a save.
public struct SaveResolution: Sendable {
    /// What becomes of one object.
    public enum Choice: Sendable, Equatable {
        /// The store's values stay; changes of the context, its deletion too, are taken back.
        case stored
        /// The context's changes are written over what the store has.
        ///
        /// An object that the store no longer has cannot be written again: then the save throws the conflict.
        case wanted
        /// The context's changes are written, with these values instead of or beside them.
        case values([String: AttributeValue])
    }

    /// What becomes of the objects in conflict; one that is left out makes the save throw.
    public var objects: [ManagedObjectID: Choice]
    /// The policy for broken uniqueness constraints; if it is `nil`, one object of each conflict must get
    /// other values.
    public var constraints: MergePolicy?

    /// A resolution from a choice for each object, and a policy for broken constraints.
    public init(objects: [ManagedObjectID: Choice] = [:], constraints: MergePolicy? = nil) {
        self.objects = objects
        self.constraints = constraints
    }
}

extension ManagedObjectContext {
    /// Lets the application decide about what refused a save; returns the policy for constraints.
    ///
    /// - Throws: `error`, if it is not a conflict, or is not decided.
    func resolve(_ error: CofferError, round: Int) throws(CofferError) -> MergePolicy? {
        guard case .custom(let resolver) = mergePolicy, round + 1 < Limits.resolutionRounds else {
            throw error
        }
        var objects: [MergeConflict] = []
        var constraints: [ConstraintConflict] = []
        switch error {
        case .conflicts(let conflicts): objects = conflicts
        case .constraints(let conflicts): constraints = conflicts
        default: throw error
        }
        let conflicts = SaveConflicts(objects: objects, constraints: constraints, round: round)
        guard let resolution = resolver.resolve(conflicts) else { throw error }
        for conflict in objects {
            guard let choice = resolution.objects[conflict.objectID],
                choice == .stored || conflict.storedVersion != nil
            else { throw error }
            try take(choice, for: object(with: conflict.objectID), isInStore: conflict.storedVersion != nil)
        }
        for conflict in constraints {
            var isDecided = resolution.constraints != nil
            for id in conflict.objectIDs {
                guard case .values(let values)? = resolution.objects[id] else { continue }
                for (key, value) in values { try object(with: id).setValue(value, forKey: key) }
                isDecided = true
            }
            guard isDecided else { throw error }
        }
        return resolution.constraints
    }

    private func take(
        _ choice: SaveResolution.Choice, for object: ManagedObject, isInStore: Bool
    ) throws(CofferError) {
        guard choice == .stored else {
            refresh(object, mergeChanges: true)
            guard case .values(let values) = choice else { return }
            for (key, value) in values { try object.setValue(value, forKey: key) }
            return
        }
        guard isInStore else { return dropDeleted(object) }
        if deleted.contains(object) { keepDeleted(object) }
        for case let relationship? in object.layout.relationships where relationship.isPair {
            guard let inverse = relationship.inverseSlot,
                let end = object.knownContent(relationship.slot)?.reference,
                let partner = registry.object(end)
            else { continue }
            partner.discardChange(inverse)
            dropIfUnchanged(partner)
        }
        for slot in object.edits?.changed.slots ?? [] { object.discardChange(slot) }
        refresh(object, mergeChanges: false)
    }

    /// Takes a deletion back, and that the object left the owners that its to-one relationships lead to.
    private func keepDeleted(_ object: ManagedObject) {
        takeBackDeletion(of: [object])
        for case let relationship? in object.layout.relationships where !relationship.isToMany {
            guard relationship.isInverseToMany, let inverse = relationship.inverseSlot,
                let end = object.knownContent(relationship.slot)?.reference,
                let owner = registry.object(end), owner.edits?.toMany[inverse] != nil
            else { continue }
            owner.editMembers(inverse) { $0.forgetMove(of: object.reference) }
        }
        // Those below may have read what is left without it.
        notifyChildren(ParentChange(stamp: nextStamp(), isReload: true))
    }
}
