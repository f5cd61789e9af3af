public import CofferModel

/// Why Coffer did not do what an application asked; in every case, nothing was written.
@nonexhaustive
public enum CofferError: Error, Sendable {
    /// Rows changed since the context read them: refresh the objects, or choose another merge policy.
    case conflicts([MergeConflict])
    /// Values, counts or delete rules forbid the save; all that was found is listed.
    case validation([ValidationFailure])
    /// `willSave` of some object changed another one, whose `willSave` changed another one, and so on.
    case endlessSave(rounds: Int)
    /// Objects agree in properties in which a uniqueness constraint forbids it.
    case constraints([ConstraintConflict])
    /// The object was deleted, here or by another client.
    case objectDeleted(ManagedObjectID)
    /// The store was made with another model: the entities that differ, are missing in the file, are unknown
    /// to the model, and what differs in each, for people, if that is known.
    case incompatibleModel(
        differing: [String], missing: [String], unknown: [String], changes: [String] = [])
    /// An object is to be related to one in another store.
    case crossStoreRelationship(from: ManagedObjectID, to: ManagedObjectID, relationship: String)
    /// A predicate or key path does not fit the model.
    case predicate(QueryError)
    /// Results that are to be followed have no order, or one that tears their sections apart.
    case unorderedResults(String)
    /// A model does not fit together.
    case model(ModelError)
    /// An entity, store or property is named that does not exist.
    case unknown(kind: String, name: String)
    /// A value does not fit its property.
    case wrongType(entity: String, property: String, expected: String)
    /// The token is too old, or belongs to another store: reload, and go on from the current number.
    case historyExpired(floor: UInt64, current: UInt64)
    /// The state that the context has pinned is not kept any more: pin the present one with
    /// `setQueryGeneration(from:)`.
    case generationExpired
    /// The service cannot be reached, and did not come back in time.
    case unavailable(String)
    /// The service refused; `code` is gRPC's name of the status, such as `InvalidArgument`, `reason` a word
    /// for programs.
    case refused(code: String, reason: String, text: String, place: String)
    /// What the service sent is not to be understood: it is of another version, or broken.
    case protocolViolation(String)
}
